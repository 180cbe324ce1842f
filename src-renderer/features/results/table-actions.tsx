import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from '../../components/icon.tsx';
import { saveText } from './save-text.ts';
import { results as texts } from './texts.ts';

/** Copies a table for a spreadsheet, or saves it as CSV. */
export function TableActions({ rows }: { rows: readonly (readonly string[])[] }) {
  const { copy, copied } = useClipboard({ timeout: 1500 });
  return (
    <div className="md-table-actions">
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />}
        onClick={() => copy(rows.map((row) => row.map(oneLineCell).join('\t')).join('\n'))}
      >
        {copied ? texts.copied : texts.copyTable}
      </Button>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        leftSection={<Icon name="download" size={14} />}
        aria-label={texts.saveTable}
        onClick={() => saveText('table.csv', csvOf(rows), 'text/csv')}
      >
        CSV
      </Button>
    </div>
  );
}

function oneLineCell(cell: string): string {
  return cell.replace(/\s+/g, ' ').trim();
}

/** A spreadsheet would run a cell that starts like a formula, so such a cell starts with an apostrophe. */
const FORMULA = /^[=+@\t\r]|^-(?![\d.,\s]*$)/;

function csvOf(rows: readonly (readonly string[])[]): string {
  const csvCell = (cell: string) => {
    const text = oneLineCell(cell);
    return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  };
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}
