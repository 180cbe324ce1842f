import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

export interface Column<Row> {
  title: string;
  /** For a column of actions, whose name is only said. */
  titleHidden?: boolean;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  className?: string;
}

interface DataTableProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Its columns need more room than those of most tables. */
  wide?: boolean;
}

/**
 * Rows with the same columns, one look for all of them. Where there is no room for them, each row becomes a block
 * of names and values; the roles are said, since a table that is laid out in another way loses its own.
 */
export function DataTable<Row>({ columns, rows, rowKey, wide = false }: DataTableProps<Row>) {
  return (
    <div className="table-wrap data-table" data-wide={wide}>
      <Table verticalSpacing="sm" highlightOnHover role="table">
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ title, titleHidden, align }) => (
              <Table.Th key={title} role="columnheader" {...(align ? { ta: align } : {})}>
                {titleHidden ? <span className="hidden-text">{title}</span> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} role="row">
              {columns.map((column, index) => (
                <DataCell key={column.title} column={column} row={row} named={index > 0 && !column.titleHidden} />
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** The first cell says what the row is about, and that of the actions what can be done: they need no name. */
function DataCell<Row>({ column, row, named }: { column: Column<Row>; row: Row; named: boolean }) {
  const { title, cell, align, className } = column;
  return (
    <Table.Td
      role="cell"
      className={className ?? ''}
      {...(align ? { ta: align } : {})}
      {...(named ? { 'data-title': title } : {})}
    >
      <div>{cell(row)}</div>
    </Table.Td>
  );
}
