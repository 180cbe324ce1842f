/**
 * Ends node-av's install script, the only importer of this package, before it downloads the program ffmpeg. Quarry uses
 * node-av's libraries alone. So `npm ci` and `npm install` contact no other host, with every npm, also where scripts of
 * packages run.
 */
import process from 'node:process';

process.exit(0);

export const Open = undefined;
