import type { DocumentBuilder } from '../document-builder.ts';
import { walkXml, type XmlBudget } from '../xml.ts';

/** Deeper points are written at this depth. */
const MAX_DEPTH = 8;

interface Point {
  text: string;
  children: { id: string; order: number }[];
}

/** Adds the texts of a SmartArt diagram as a list, in the order and depth of its points. */
export function readDiagram(bytes: Buffer, builder: DocumentBuilder, budget: XmlBudget): void {
  const { points, root } = readPoints(bytes, budget);
  const seen = new Set<string>();
  const waiting = [{ id: root, depth: -1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { id, depth } = next;
    const point = points.get(id);
    if (point === undefined || seen.has(id)) continue;
    seen.add(id);
    const hasText = point.text.trim() !== '' && depth >= 0;
    if (hasText) addPoint(builder, point.text, Math.min(depth, MAX_DEPTH));
    const children = point.children.sort((one, other) => other.order - one.order);
    for (const child of children) waiting.push({ id: child.id, depth: depth + 1 });
  }
  // Texts of the arrows between points, and of points that nothing leads to.
  for (const [id, { text }] of points) {
    if (!seen.has(id) && text.trim() !== '') addPoint(builder, text, 0);
  }
}

function addPoint(builder: DocumentBuilder, text: string, depth: number): void {
  builder.addDocumentBlock({ kind: 'list-item', depth, marker: '•', text });
}

function readPoints(bytes: Buffer, budget: XmlBudget): { points: Map<string, Point>; root: string } {
  const points = new Map<string, Point>();
  const pointOf = (id: string) => {
    const point = points.get(id) ?? { text: '', children: [] };
    points.set(id, point);
    return point;
  };
  let root = '';
  let open: Point | null = null;
  let isText = false;
  walkXml(bytes, budget, {
    open(element) {
      const type = element.attributeValue('type');
      if (element.name === 'dgm:pt') {
        const id = element.attributeValue('modelId') ?? '';
        if (type === 'doc') root = id;
        open = pointOf(id);
      } else if (element.name === 'dgm:cxn' && (type === null || type === 'parOf')) {
        const order = Number(element.attributeValue('srcOrd') ?? 0);
        pointOf(element.attributeValue('srcId') ?? '').children.push({
          id: element.attributeValue('destId') ?? '',
          order,
        });
      } else if (isLineStart(element.name) && open !== null && open.text !== '') open.text += '\n';
      isText = element.name === 'a:t';
    },
    text(text) {
      if (isText && open !== null) open.text += text;
    },
    close({ name }) {
      isText = false;
      if (name === 'dgm:pt') open = null;
    },
  });
  return { points, root };
}

function isLineStart(name: string): boolean {
  return name === 'a:p' || name === 'a:br';
}
