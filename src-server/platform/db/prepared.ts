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
  sql,
} from 'kysely';
import type { Database, Db, Tx } from './database.ts';
import { SteadyQueryCompiler } from './statement-compiler.ts';

const builder = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SteadyQueryCompiler(),
  },
});

/** Holds the place of a value that each run gives. */
class Place {
  readonly name: string;
  /** The value of this name among those that are given, in which the named one stands. */
  readonly group: string | null;

  constructor(name: string, group: string | null = null) {
    this.name = name;
    this.group = group;
  }

  valueIn(values: object): unknown {
    const group = this.group === null ? values : values[this.group as keyof object];
    return group[this.name as keyof object];
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
      const given = parameters.map((parameter) => (parameter instanceof Place ? parameter.valueIn(values) : parameter));
      return db.executeQuery(CompiledQuery.raw(text, given) as CompiledQuery<Row>);
    };
    return statement;
  };
}

/** Columns of a row that a statement writes, with places instead of their values. */
export type PlacesOf<Columns> = { [Name in keyof Columns]: RawBuilder<Exclude<Columns[Name], undefined>> };

/**
 * The same for a statement that writes some columns of a row: one text for each set of columns that it is given. What
 * is undefined is left out.
 */
export function preparedForColumns<Columns extends object, Values extends object = object>() {
  return <Row>(
    build: (db: Kysely<Database>, columns: PlacesOf<Columns>, value: PlaceOf<Values>) => Compilable<Row>,
  ): ((db: Db | Tx, columns: Columns, values: Values) => Promise<QueryResult<Row>>) => {
    const statements = new Map<string, ReturnType<typeof bothPlaces>>();
    const bothPlaces = (names: readonly string[]) =>
      prepared<{ columns: Columns; values: Values }>()((db) => {
        const columns = Object.fromEntries(names.map((name) => [name, sql`${new Place(name, 'columns')}`]));
        return build(db, columns as PlacesOf<Columns>, (name) => sql`${new Place(name, 'values')}`);
      });
    return (db, columns, values) => {
      let names = '';
      for (const name in columns) if (columns[name] !== undefined) names += `${name},`;
      const statement = statements.get(names) ?? bothPlaces(names.split(',').slice(0, -1));
      statements.set(names, statement);
      return statement(db, { columns, values });
    };
  };
}

/** The entries of a JSON array that is given as one value: a list of any length leaves the statement's text alone. */
export function entriesOf<Entry>(json: RawBuilder<string>): RawBuilder<Entry> {
  return sql<Entry>`(select value from json_each(${json}))`;
}

/**
 * An update that ends the whole transaction when it fails, which our transactions do anyway. SQLite otherwise copies
 * every page that the update changes, in order to be able to take back this statement alone: a tenth of what recording
 * deliveries costs.
 */
export function orRollback<Row>(update: Compilable<Row>): Compilable<Row> {
  return {
    compile: () => {
      const compiled = update.compile();
      return { ...compiled, sql: compiled.sql.replace(/^update /, 'update or rollback ') };
    },
  };
}
