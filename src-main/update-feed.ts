/** The feed URL if valid. Only https: an attacker on the network could replace the program otherwise. */
export function usableFeed(address: string): string | null {
  return URL.canParse(address) && new URL(address).protocol === 'https:' ? address : null;
}
