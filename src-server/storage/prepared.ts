/**
 * Statements whose text is made once, when their file is loaded. Building one anew costs more than SQLite takes to run
 * it, which counts where a statement runs with every delivery; the types of the query builder stay.
 */
import {
  type Compilable,
  CompiledQuery,
  DummyDriver,
  Kysely,
  type QueryResult,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import type { Database, Db, Tx } from './schema.ts';

const builder = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** Holds the place of a value that each run gives. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Stands for the value of this name in a statement's text. */
export type PlaceOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;
export type PreparedStatement<Values, Row> = (db: Db | Tx, values: Values) => Promise<QueryResult<Row>>;

/**
 * Makes a statement ready, to be run with its values: `prepared<{ id: string }>()((db, value) => db.selectFrom(…)…)`.
 * Two calls, since the values are named by whoever writes it and the row is found out.
 */
export function prepared<Values extends object>() {
  return <Row>(build: (db: Kysely<Database>, value: PlaceOf<Values>) => Compilable<Row>) => {
    const { sql: text, parameters } = build(builder, (name) => sql`${new Place(name)}`).compile();
    const statement: PreparedStatement<Values, Row> = (db, values) => {
      const given = parameters.map((parameter) =>
        parameter instanceof Place ? values[parameter.name as keyof Values] : parameter,
      );
      return db.executeQuery(CompiledQuery.raw(text, given) as CompiledQuery<Row>);
    };
    return statement;
  };
}

/** The entries of a JSON array that is given as one value: a list of any length leaves the statement's text alone. */
export function entriesOf<Entry>(json: RawBuilder<string>): RawBuilder<Entry> {
  return sql<Entry>`(select value from json_each(${json}))`;
}
