import{t as wordTable}from"./word-table-Dkya_8Hc.mjs";var FIELD_LABELS=wordTable(`
  DTSTART: Start; DTEND: End; DUE: Due; DURATION: Duration; LOCATION: Location; STATUS: Status; ORGANIZER: Organizer
  ATTENDEE: Attendee; CATEGORIES: Categories; RRULE: Repeats; URL: URL; COMMENT: Comment; CONTACT: Contact
  PRIORITY: Priority; COMPLETED: Completed; TRIGGER: Reminder; X-WR-CALNAME: Calendar; X-WR-CALDESC: About
  TEL: Phone; EMAIL: Email; ADR: Address; N: Name; ORG: Organization; TITLE: Title; NOTE: Note; BDAY: Birthday
  ROLE: Role; NICKNAME: Nickname
`);export{FIELD_LABELS as t};