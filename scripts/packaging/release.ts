/** What a package needs from its maker: native parts, release notes, and the credentials that sign it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export type Platform = 'darwin' | 'linux' | 'win32';
export type Architecture = 'arm64' | 'x64';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names that the packages with native parts use for a platform. */
const SHERPA_NAMES = { darwin: 'darwin', linux: 'linux', win32: 'win' } as const;
const SQLITE_NAMES = { darwin: 'darwin', linux: 'linux', win32: 'windows' } as const;

/** Packages without which speech, media files or search do not work. */
function nativeParts(platform: Platform, arch: Architecture): string[] {
  const compiler = platform === 'win32' ? '-msvc' : '';
  return [
    `sherpa-onnx-${SHERPA_NAMES[platform]}-${arch}`,
    `@seydx/node-av-${platform}-${arch}${compiler}`,
    `sqlite-vec-${SQLITE_NAMES[platform]}-${arch}`,
  ];
}

/** Packages that an app for this platform needs and that `modules` (a node_modules folder) lacks. */
export function missingNativeParts(platform: Platform, arch: Architecture, modules: string): string[] {
  return nativeParts(platform, arch).filter((name) => !existsSync(join(modules, name, 'package.json')));
}

/** Each list is one way to sign. The first that is complete is used. */
const CREDENTIALS: Readonly<Record<Platform, readonly (readonly string[])[]>> = {
  darwin: [
    ['CSC_LINK', 'CSC_KEY_PASSWORD', 'APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'],
    ['CSC_LINK', 'CSC_KEY_PASSWORD', 'APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID'],
  ],
  linux: [],
  win32: [
    [
      'AZURE_TENANT_ID',
      'AZURE_CLIENT_ID',
      'AZURE_CLIENT_SECRET',
      'QUARRY_SIGN_ENDPOINT',
      'QUARRY_SIGN_ACCOUNT',
      'QUARRY_SIGN_PROFILE',
      'QUARRY_SIGN_PUBLISHER',
    ],
    ['WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD'],
  ],
};

/** Environment variables that are missing to sign for this platform; empty if one way to sign is complete. */
export function missingCredentials(platform: Platform, environment: Environment): string[] {
  const missing = CREDENTIALS[platform].map((names) => names.filter((name) => !environment[name]));
  if (missing.length === 0 || missing.some((names) => names.length === 0)) return [];
  // The way that is nearest to complete is the one that was meant.
  return missing.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

type AzureSigning = Record<'endpoint' | 'codeSigningAccountName' | 'certificateProfileName' | 'publisherName', string>;

/** Azure Trusted Signing for Windows; null if the environment does not name it. */
export function azureSigning(environment: Environment): AzureSigning | null {
  const { QUARRY_SIGN_ENDPOINT: endpoint, QUARRY_SIGN_ACCOUNT: codeSigningAccountName } = environment;
  const { QUARRY_SIGN_PROFILE: certificateProfileName, QUARRY_SIGN_PUBLISHER: publisherName } = environment;
  if (!endpoint || !codeSigningAccountName || !certificateProfileName || !publisherName) return null;
  return { endpoint, codeSigningAccountName, certificateProfileName, publisherName };
}

/** The section of a changelog for one version, without its heading; null if there is none or it is empty. */
export function releaseNotes(changelog: string, version: string): string | null {
  const sections = changelog.replaceAll('\r\n', '\n').split(/^## /m);
  const names = (section: string) =>
    section
      .split('\n')[0]
      ?.trim()
      .split(/\s/)[0]
      ?.replace(/^\[|\]$/g, '');
  const section = sections.slice(1).find((one) => names(one) === version);
  return section?.split('\n').slice(1).join('\n').trim() || null;
}
