import { wordTable } from '../../src-server/platform/text/word-table.ts';
/** Words for fields of calendars and contacts; others keep their name. */
export const FIELD_LABELS = wordTable(`
  DTSTART: Start; DTEND: End; DUE: Due; DURATION: Duration; LOCATION: Location; STATUS: Status; ORGANIZER: Organizer
  ATTENDEE: Attendee; CATEGORIES: Categories; RRULE: Repeats; URL: URL; COMMENT: Comment; CONTACT: Contact
  PRIORITY: Priority; COMPLETED: Completed; TRIGGER: Reminder; X-WR-CALNAME: Calendar; X-WR-CALDESC: About
  TEL: Phone; EMAIL: Email; ADR: Address; N: Name; ORG: Organization; TITLE: Title; NOTE: Note; BDAY: Birthday
  ROLE: Role; NICKNAME: Nickname
`);
