import type { BlockAssembler } from './assemble.ts';
import type { ParagraphFact } from './marks.ts';

/** What a part comes to once everything that is neither text nor a table is settled. */
export type Piece =
  | { kind: 'paragraph'; fact: ParagraphFact | null; text: string }
  | { kind: 'table' | 'end-table' | 'row' | 'end-row' | 'end-cell' }
  | { kind: 'cell'; columns: number; continues: boolean }
  /** What follows belongs to this note or comment. */
  | { kind: 'note'; id: string };

/** Pieces in order. Text boxes nest without end: what stands in one is a list in the list. */
export type Pieces = Piece | Pieces[];

export interface ReadPiecesOptions {
  /** Called now and then. Throws to stop. */
  tick(): void;
  /** Called for each note or comment of the part: what follows belongs to it. */
  onNote?(id: string): BlockAssembler;
}

/** Pieces read between two looks at whether the task was cancelled. */
const TICK_PIECES = 10_000;

/** Hands the pieces to the assembler. */
export function readPieces(pieces: Pieces, assembler: BlockAssembler, { tick, onNote }: ReadPiecesOptions): void {
  let target = assembler;
  let read = 0;
  for (const piece of inOrder(pieces)) {
    read += 1;
    if (read % TICK_PIECES === 0) tick();
    if (piece.kind === 'note') target = onNote?.(piece.id) ?? assembler;
    else readPiece(piece, target);
  }
}

function readPiece(piece: Exclude<Piece, { kind: 'note' }>, target: BlockAssembler): void {
  switch (piece.kind) {
    case 'paragraph':
      target.paragraph(piece.text, piece.fact);
      break;
    case 'table':
      target.startTable();
      break;
    case 'row':
      target.startRow();
      break;
    case 'cell':
      target.startCell(piece.columns, piece.continues);
      break;
    case 'end-cell':
      target.endCell();
      break;
    case 'end-row':
      target.endRow();
      break;
    case 'end-table':
      target.endTable();
      break;
  }
}

/** Without recursion, over which nesting would fall. */
function* inOrder(pieces: Pieces): Generator<Piece> {
  const open: { list: Pieces[]; at: number }[] = [{ list: [pieces], at: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const next = top.list[top.at];
    top.at += 1;
    if (next === undefined) open.pop();
    else if (Array.isArray(next)) open.push({ list: next, at: 0 });
    else yield next;
  }
}
