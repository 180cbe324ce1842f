/**
 * A DTTM, as binary Word files and RTF pack a time into 32 bits (minute, hour, day, month, years since 1900), in ISO
 * form without a zone, which it does not have. Null for zero and for what is no date.
 */
export function readDttm(value: number): string | null {
  const packed = value >>> 0;
  const minute = packed & 0x3f;
  const hour = (packed >> 6) & 0x1f;
  const day = (packed >> 11) & 0x1f;
  const month = (packed >> 16) & 0x0f;
  const year = 1900 + ((packed >> 20) & 0x1ff);
  if (day === 0 || month === 0 || month > 12 || hour > 23 || minute > 59) return null;
  const pad = (number: number) => String(number).padStart(2, '0');
  return `${year}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:00`;
}
