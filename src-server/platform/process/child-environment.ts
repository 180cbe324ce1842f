/**
 * The environment variables of child processes. Programs that read foreign bytes or run site scripts must not see the
 * server's keys (QUARRY_PRIVATE_KEY, QUARRY_TEXT_SERVER_KEY) or other secrets of the user's shell. Each child gets only
 * the variables of this list.
 *
 * Proxy variables are not on the list: the children with network access, yt-dlp and the browser, get the guarded proxy
 * as an argument, and NO_PROXY would bypass that proxy.
 */
const POSIX = [
  ...['PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'LANG', 'LANGUAGE'],
  // Compilers that make uses.
  ...['CC', 'CXX'],
  // Library folders outside the system's, and the GPUs that engines use.
  ...['LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'DYLD_FALLBACK_LIBRARY_PATH'],
  ...['CUDA_PATH', 'CUDA_VISIBLE_DEVICES', 'HIP_VISIBLE_DEVICES', 'ROCR_VISIBLE_DEVICES'],
  ...['GGML_VK_VISIBLE_DEVICES', 'VK_DRIVER_FILES', 'VK_ICD_FILENAMES'],
];
/** Without these, programs on Windows do not start or do not find their folders. */
const WINDOWS = [
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'OS', 'PROCESSOR_ARCHITECTURE'],
  ...['NUMBER_OF_PROCESSORS', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES'],
];
const LOCALE = /^LC_[A-Z]+$/;

/** The allowed part of an environment, by default of this process. */
export function childEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const isWindows = platform === 'win32';
  const allowed = new Set(isWindows ? [...POSIX, ...WINDOWS] : POSIX);
  return Object.fromEntries(
    Object.entries(environment).filter(([given]) => {
      // Variable names on Windows are case-insensitive: PATH is often spelled Path.
      const name = isWindows ? given.toUpperCase() : given;
      return allowed.has(name) || LOCALE.test(name);
    }),
  );
}
