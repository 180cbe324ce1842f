/**
 * SQLite prepares a statement anew each time a value is bound that its planner has looked at, and it looks at more of
 * them than one would think: what a column must equal in a statement with an order or a join, and every limit. For a
 * row as wide as a job's that takes thirty times as long as finding it. None of our plans depends on a value (nothing
 * is ever analysed), so values stand here where the planner does not look: behind a plus sign, which changes nothing
 * else, the use of indexes least of all. The setting that says this to SQLite (QPSG) cannot be reached from here.
 */
import {
  type BinaryOperationNode,
  type LimitNode,
  type OperationNode,
  OperatorNode,
  RawNode,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';

const COMPARISONS: ReadonlySet<string> = new Set(['=', '!=', '<>', '<', '<=', '>', '>=']);

export class SteadyQueryCompiler extends SqliteQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node;
    if (!isComparison(operator) || !isParameter(rightOperand)) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(leftOperand);
    this.append(' ');
    this.visitNode(operator);
    this.append(' +');
    this.visitNode(rightOperand);
  }

  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    // A plus sign in front of a limit is looked through.
    if (isParameter(node.limit)) this.append(' + 0');
  }
}

function isComparison(operator: OperationNode): boolean {
  return OperatorNode.is(operator) && COMPARISONS.has(operator.operator);
}

/** Whether it becomes a question mark, and nothing but that. */
function isParameter(node: OperationNode): boolean {
  if (ValueNode.is(node)) return node.immediate !== true;
  if (!RawNode.is(node)) return false;
  const [parameter] = node.parameters;
  return (
    node.parameters.length === 1 &&
    node.sqlFragments.every((text) => text === '') &&
    isParameter(parameter as OperationNode)
  );
}
