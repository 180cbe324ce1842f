import { createContext } from 'react';

/** The title of the panel around a table: its name for screen readers. Apart from tables, which load later. */
export const TableName = createContext<string | undefined>(undefined);
