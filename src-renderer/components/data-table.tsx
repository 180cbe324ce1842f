import { Table } from '@mantine/core';
import { type ReactNode, useContext } from 'react';
import { TableName } from './table-name.ts';

interface ColumnHead {
  title: string;
  /** For a column of actions: its title is only for screen readers. */
  titleHidden?: boolean;
  align?: 'right';
  /** If any column has a width, the table layout is fixed. */
  width?: number | string;
}

export interface Column<Row> extends ColumnHead {
  cell: (row: Row) => ReactNode;
  className?: string;
}

interface DataTableProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** For tables whose columns need more room. */
  wide?: boolean;
  /** Its name for screen readers: by default the title of its panel. */
  label?: string;
}

/** A table whose cells depend only on their row. */
export function DataTable<Row>({ columns, rows, rowKey, wide = false, label }: DataTableProps<Row>) {
  return (
    <DataFrame heads={columns} wide={wide} label={label}>
      {rows.map((row) => (
        <Table.Tr key={rowKey(row)} role="row">
          {columns.map((column, index) => (
            <DataCell key={column.title} head={column} named={index > 0} className={column.className ?? ''}>
              {column.cell(row)}
            </DataCell>
          ))}
        </Table.Tr>
      ))}
    </DataFrame>
  );
}

interface DataFrameProps {
  heads: readonly ColumnHead[];
  wide?: boolean;
  label?: string | undefined;
  children: ReactNode;
}

/**
 * The layout of all tables. On narrow screens, each row becomes a block of names and values. Roles are explicit,
 * because that layout removes the implicit ones.
 */
export function DataFrame({ heads, wide = false, label, children }: DataFrameProps) {
  const panel = useContext(TableName);
  const layout = heads.some(({ width }) => width !== undefined) ? 'fixed' : 'auto';
  return (
    <div className="table-wrap data-table" data-wide={wide}>
      <Table verticalSpacing="sm" highlightOnHover role="table" layout={layout} aria-label={label ?? panel}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {heads.map(({ title, titleHidden, align, width }) => (
              <Table.Th key={title} role="columnheader" w={width} {...(align ? { ta: align } : {})}>
                {titleHidden ? <span className="hidden-text">{title}</span> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">{children}</Table.Tbody>
      </Table>
    </div>
  );
}

interface DataCellProps {
  head: ColumnHead;
  /** The first cell and the action cell need no name. */
  named?: boolean;
  className?: string;
  children: ReactNode;
}

export function DataCell({
  head: { title, titleHidden, align },
  named = true,
  className = '',
  children,
}: DataCellProps) {
  return (
    <Table.Td
      role="cell"
      className={className}
      {...(align ? { ta: align } : {})}
      {...(named && !titleHidden ? { 'data-title': title } : {})}
    >
      <div>{children}</div>
    </Table.Td>
  );
}
