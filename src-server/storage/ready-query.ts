import type { Compilable, CompiledQuery } from 'kysely';
import type { Db, Tx } from './schema.ts';

/** Stands in a query for the value of a parameter while it is compiled. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Keeps a column apart from a parameter of the same name. */
const COLUMN_MARK = 'column ';

type Take<Parameters> = <Name extends keyof Parameters & string>(name: Name) => Parameters[Name];

/**
 * A query that is built and compiled once, by its first use, and then only run: for the statements that every job runs,
 * building them anew costs more than running them.
 *
 * @param build writes the query; `take('name')` stands where a parameter's value will be. Lists of varying length and
 *   parts that depend on a value cannot be written so.
 */
export function readyQuery<Parameters extends object, Row>(
  build: (db: Db, take: Take<Parameters>) => Compilable<Row>,
): (db: Db | Tx, parameters: Parameters) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | undefined;
  return async (db, parameters) => {
    compiled ??= build(db as Db, (name) => new Slot(name) as never).compile() as CompiledQuery<Row>;
    const values = parameters as Record<string, unknown>;
    const filled = compiled.parameters.map((value) => (value instanceof Slot ? values[value.name] : value));
    return (await db.executeQuery<Row>({ ...compiled, parameters: filled })).rows;
  };
}

/**
 * The same for statements that write some columns of a row: one for each set of columns that they are run with. What
 * is undefined is left out.
 *
 * @param build `columns` holds, for each column, what stands where its value will be.
 */
export function readyByColumns<Columns extends object, Parameters extends object, Row>(
  build: (db: Db, columns: Columns, take: Take<Parameters>) => Compilable<Row>,
): (db: Db | Tx, columns: Columns, parameters: Parameters) => Promise<Row[]> {
  const queries = new Map<string, (db: Db | Tx, parameters: object) => Promise<Row[]>>();
  return (db, columns, parameters) => {
    const given = Object.entries(columns).filter(([, value]) => value !== undefined);
    const key = given.map(([name]) => name).join();
    let query = queries.get(key);
    if (query === undefined) {
      query = readyQuery<Record<string, never>, Row>((any, take) => {
        const slots = Object.fromEntries(given.map(([name]) => [name, take(COLUMN_MARK + name)]));
        return build(any, slots as Columns, take as unknown as Take<Parameters>);
      }) as (db: Db | Tx, parameters: object) => Promise<Row[]>;
      queries.set(key, query);
    }
    return query(db, {
      ...parameters,
      ...Object.fromEntries(given.map(([name, value]) => [COLUMN_MARK + name, value])),
    });
  };
}
