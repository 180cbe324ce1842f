/**
 * Queries that are built and compiled once, for statements that run with every job or delivery: to build one takes 3 to
 * 40 µs, more than SQLite takes to run it.
 */

import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import { compileQuery, type Query, type QueryBuilder, queryBuilder } from './database.ts';

/** A value that each run of a prepared query gives. */
class Parameter<Values> {
  readonly valueFrom: (values: Values) => unknown;

  constructor(valueFrom: (values: Values) => unknown) {
    this.valueFrom = valueFrom;
  }
}

/** The place of the value of this name in a query. */
type ParameterOf<Values> = <Name extends keyof Values & string>(name: Name) => RawBuilder<Values[Name]>;

/**
 * Prepares a query that is run with values: `prepared<{ id: string }>()((db, value) => db.selectFrom(…)…)`. Two calls,
 * since the values are named and the row is inferred.
 */
export function prepareQuery<Values extends object>() {
  return <Row>(build: (db: QueryBuilder, value: ParameterOf<Values>) => Query<Row>) => {
    const compiled = compileQuery(
      build(queryBuilder, (name) => sql`${new Parameter<Values>((values) => values[name])}`),
    );
    return (values: Values): Query<Row> => {
      const parameters = compiled.parameters.map((parameter) =>
        parameter instanceof Parameter ? parameter.valueFrom(values) : parameter,
      );
      const query: CompiledQuery<Row> = { ...compiled, parameters };
      return { compile: () => query };
    };
  };
}

/** Columns of a row as parameters. */
type ParametersOf<Columns> = { [Name in keyof Columns]: RawBuilder<Exclude<Columns[Name], undefined>> };

/** The same for a query that writes some columns of a row: one text for each set of columns that are not undefined. */
export function preparedForColumns<Columns extends object, Values extends object = object>() {
  return <Row>(
    build: (db: QueryBuilder, columns: ParametersOf<Columns>, value: ParameterOf<Columns & Values>) => Query<Row>,
  ) => {
    const queries = new Map<string, (values: Columns & Values) => Query<Row>>();
    const queryFor = (names: (keyof Columns & string)[]) =>
      prepareQuery<Columns & Values>()((db, value) =>
        build(db, Object.fromEntries(names.map((name) => [name, value(name)])) as ParametersOf<Columns>, value),
      );
    return (columns: Columns, values: Values): Query<Row> => {
      const names = (Object.keys(columns) as (keyof Columns & string)[]).filter((name) => columns[name] !== undefined);
      const key = names.join();
      const query = queries.get(key) ?? queryFor(names);
      queries.set(key, query);
      return query({ ...columns, ...values });
    };
  };
}

/** The entries of a JSON array that is one value: the SQL text is the same for a list of any length. */
export function jsonArrayEntries<Entry>(json: RawBuilder<string>): RawBuilder<Entry> {
  return sql<Entry>`(select value from json_each(${json}))`;
}
