import { expect, test } from 'vitest';
import { withEncodedQuery } from '../../workers/pages/scan-page.ts';

// The bytes are those that Python's codecs give.
test.each([
  ['windows-1251', '/поиск?q=новости&x=1#якорь', '/поиск?q=%ED%EE%E2%EE%F1%F2%E8&x=1#якорь'],
  ['koi8-r', '?q=да', '?q=%C4%C1'],
  ['shift_jis', '?q=検索ｶ', '?q=%8C%9F%8D%F5%B6'],
  ['euc-jp', '?q=検索', '?q=%B8%A1%BA%F7'],
  ['gbk', '?q=新闻', '?q=%D0%C2%CE%C5'],
  ['big5', '?q=新聞', '?q=%B7s%BBD'],
  ['euc-kr', '?q=뉴스', '?q=%B4%BA%BD%BA'],
  ['windows-1252', '?q=Größe €', '?q=Gr%F6%DFe %80'],
  ['windows-1252', '?q=😀', '?q=%26%23128512%3B'],
  ['utf-8', '?q=ö', '?q=ö'],
  ['utf-16le', '?q=ö', '?q=ö'],
  ['windows-1252', '/ä#b?ö', '/ä#b?ö'],
])('in %s, %s is asked as %s', (encoding, address, asked) => {
  expect(withEncodedQuery(address, encoding)).toBe(asked);
});
