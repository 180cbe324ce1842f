/**
 * How `npm run package` packs the desktop app (scripts/package.ts). The schema is electron-builder's; resources/docs/release.md
 * says what a release needs besides.
 */
import type { Configuration } from 'electron-builder';
import { endingsOf, type FileKind, kindsReadAs, kindsWhere, typesOfKind } from './src-server/platform/files/kinds.ts';

/** Files of packages that the app never reads: other platforms' builds, sources and assets of what is compiled. */
const SPARE_MODULE_FILES = [
  '@e965/xlsx/{bin,xlsx.js,dist/!(cpexcel.full.mjs)}',
  '@jsquash/webp/codec/enc/webp_enc.*',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder replaces it.
  '@node-llama-cpp/!(*-${arch}*)',
  // Placeholders of the CUDA builds (`overrides` of package.json): they hold no code.
  '@node-llama-cpp/*-cuda*',
  '@seydx/*-mingw',
  '@opentelemetry/semantic-conventions/dist/{experimental_,index-incubating}*',
  'better-sqlite3/{deps,src}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder replaces it.
  'better-sqlite3/prebuilds/!(${platform}-${arch}).node',
  'caniuse-lite/data/{features,regions}',
  '{fingerprint,header}-generator/data_files',
  'got-scraping/dist',
  'libheif-js/libheif',
  'libheif-js/libheif-wasm/libheif-bundle.*',
  'node-llama-cpp/llama/gitRelease.bundle',
  'playwright-core/lib/vite',
  'tesseract.js-core/*.wasm.js',
  'tesseract.js-core/tesseract-core{,-lstm,-simd,-relaxedsimd,-relaxedsimd-lstm}.*',
  'tinyld/playground',
];

const OPENED = kindsWhere(({ opened }) => opened === true);

const RECORDINGS = kindsReadAs('recording');

const endings = (kinds: readonly FileKind[]) => kinds.flatMap((kind) => Object.keys(endingsOf(kind)));

/** Linux associates files by MIME type. */
const MIME_TYPES = [...new Set(OPENED.flatMap(typesOfKind))];

/** Electron's switches, written into its binary. All that let another program drive the app are off. */
const FUSES = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
};

const ENTITLEMENTS = 'scripts/packaging/entitlements.mac.plist';

const packaging = {
  appId: 'io.quarry.desktop',
  productName: 'Quarry',
  directories: { output: 'out/release', buildResources: 'resources' },
  files: [
    'out/{main,preload,renderer}/**',
    'resources/**',
    '!resources/{client,docker,screenshots,systemd}/**',
    'package.json',
    'LICENSE',
    '!**/*.{map,ts}',
    ...SPARE_MODULE_FILES.map((pattern) => `!node_modules/${pattern}{,/**}`),
  ],
  asar: true,
  // Workers and native parts cannot be loaded from inside the archive. The shell itself stays in it, where its
  // integrity is checked.
  asarUnpack: ['out/main/**', 'out/renderer/**', 'resources/**', 'node_modules/**'],
  // Native parts are N-API builds that npm installs: nothing is compiled or fetched here.
  npmRebuild: false,
  // No update feed unless the release names one (QUARRY_UPDATE_FEED). A version such as 1.2.0-beta.1 is for the channel
  // `beta`; a final version is announced in all channels, so that testers get it too.
  publish: null,
  detectUpdateChannel: true,
  generateUpdatesFilesForAllChannels: true,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder replaces these.
  artifactName: '${productName}-${version}-${os}-${arch}.${ext}',
  icon: 'resources/icon.png',
  electronFuses: FUSES,
  protocols: [{ name: 'Quarry', schemes: ['quarry'] }],
  // The first runtime that needs no libfuse2, which Ubuntu 22.04 and later do not install.
  toolsets: { appimage: '1.0.3' },
  linux: {
    // No `arch`: npm installs the native parts of one architecture, which `--x64` or `--arm64` must match.
    target: ['AppImage', 'deb'],
    category: 'Office',
    executableName: 'quarry',
    maintainer: 'Quarry',
    synopsis: 'Crawl, extract, transcribe and generate on this computer',
    mimeTypes: MIME_TYPES,
    syncDesktopName: true,
  },
  // Without this line electron-builder adds --no-sandbox. Its starter still does where the system has no user
  // namespaces; the app then asks (src-main/index.ts).
  appImage: { executableArgs: [] },
  mac: {
    // The system's updater takes only the zip.
    target: ['dmg', 'zip'],
    category: 'public.app-category.productivity',
    hardenedRuntime: true,
    // Frameworks and helpers run V8 too.
    entitlements: ENTITLEMENTS,
    entitlementsInherit: ENTITLEMENTS,
    // By the credentials in the environment; skipped without them.
    notarize: true,
    fileAssociations: [
      {
        name: 'Document',
        ext: endings(OPENED.filter((kind) => !RECORDINGS.includes(kind))),
        role: 'Viewer',
        rank: 'Alternate',
      },
      { name: 'Recording', ext: endings(RECORDINGS), role: 'Viewer', rank: 'Alternate' },
    ],
  },
  // An update must be signed by the publisher of the installed app.
  win: { target: ['nsis'], verifyUpdateCodeSignature: true },
  nsis: {
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    deleteAppDataOnUninstall: false,
  },
} satisfies Configuration;

export default packaging;
