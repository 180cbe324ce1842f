/** The types of the client package: the dashboard and other programs read the same ones. */
export type * from '../../../resources/client/api.d.ts';
