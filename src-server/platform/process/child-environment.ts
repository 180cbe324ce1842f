/**
 * The environment variables of child processes. Programs that read foreign bytes or run the scripts of sites must not
 * find the server's keys (QUARRY_PRIVATE_KEY, QUARRY_TEXT_SERVER_KEY) or other secrets of the user's shell, so every
 * child gets the variables of this list and no others.
 *
 * Proxy variables are not on the list: the one child that uses the network, yt-dlp, gets the address of the guarded
 * proxy as an argument, and NO_PROXY would let it go round that proxy.
 */
const POSIX = [
  ...['PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'TZ', 'LANG', 'LANGUAGE'],
  // Which compilers make uses.
  ...['CC', 'CXX'],
  // Libraries outside the system's folders, and which graphics processors engines use.
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

/** The allowed part of this process's environment, or of another one. */
export function childEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): NodeJS.ProcessEnv {
  const isWindows = platform === 'win32';
  const allowed = new Set(isWindows ? [...POSIX, ...WINDOWS] : POSIX);
  return Object.fromEntries(
    Object.entries(environment).filter(([given]) => {
      // Windows does not tell the cases of names apart: its PATH is often called Path.
      const name = isWindows ? given.toUpperCase() : given;
      return allowed.has(name) || LOCALE.test(name);
    }),
  );
}
