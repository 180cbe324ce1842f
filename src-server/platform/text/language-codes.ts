/** Languages that the server may name, as BCP 47 tags. No browser lists all that it knows. */
export const LANGUAGE_CODES: readonly string[] = [
  'af am ar az be bg bn bs ca cs cy da de el en eo es et eu fa fi fil fr ga gl gu ha he hi hr hu hy id ig is it',
  'ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn no om or pa pl ps pt ro ru rw',
  'sd si sk sl so sq sr su sv sw ta te tg th ti tk tl tr tt ug uk ur uz vi wo xh yi yo yue zh zh-Hans zh-Hant zu',
].flatMap((line) => line.split(' '));
