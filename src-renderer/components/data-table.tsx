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
}

/** Rows with the same columns, one look for all of them. */
export function DataTable<Row>({ columns, rows, rowKey }: DataTableProps<Row>) {
  return (
    <div className="table-wrap">
      <Table verticalSpacing="sm" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, titleHidden, align }) => (
              <Table.Th key={title} {...(align ? { ta: align } : {})}>
                {titleHidden ? <span className="hidden-text">{title}</span> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map(({ title, cell, align, className }) => (
                <Table.Td key={title} className={className ?? ''} {...(align ? { ta: align } : {})}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
