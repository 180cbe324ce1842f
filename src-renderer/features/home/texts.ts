import { formatWholeNumber } from '../../components/format.ts';

export const home = {
  find: 'Search your library, or paste an address to read',
  more: (count: number) => `${formatWholeNumber(count)} more`,
  continue: 'Continue',
  page: (page: number, pages: number | null) =>
    `Page ${formatWholeNumber(page)}${pages === null ? '' : ` of ${formatWholeNumber(pages)}`}`,
  left: (time: string) => `${time} left`,
  days: { today: 'Added today', yesterday: 'Yesterday', week: 'This week', before: 'Earlier' },
  states: { reading: 'Being read', failed: 'Could not be read' },
  library: 'Open the library',
};
