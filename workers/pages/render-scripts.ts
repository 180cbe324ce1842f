/** Scripts that run in rendered pages. What a page does to them changes how it is read, and nothing else. */

/** Before the scripts of the page: notes what it waits for, and whether it looks at what is scrolled into view. */
export const WATCH = `(({ timerMs, sinceMs, levels }) => {
  const own = { set: window.setTimeout, due: new Map(), watchesScroll: false };
  Object.defineProperty(window, Symbol.for('quarry'), { value: own });
  const clear = window.clearTimeout;
  let level = 0;
  window.setTimeout = function (work, delay, ...given) {
    const ms = Number(delay) || 0;
    const counts = typeof work === 'function' && ms <= timerMs && level < levels && performance.now() < sinceMs;
    if (!counts) return own.set.call(window, work, delay, ...given);
    const next = level + 1;
    const id = own.set.call(window, (...args) => {
      own.due.delete(id);
      level = next;
      try { work.apply(window, args); } finally { level = 0; }
    }, delay, ...given);
    own.due.set(id, performance.now() + ms);
    return id;
  };
  window.clearTimeout = function (id) {
    own.due.delete(id);
    clear.call(window, id);
  };
  const Observer = window.IntersectionObserver;
  window.IntersectionObserver = class IntersectionObserver extends Observer {
    constructor(...given) {
      super(...given);
      own.watchesScroll = true;
    }
  };
  for (const target of [window, document]) {
    const listen = target.addEventListener;
    target.addEventListener = function (type, ...given) {
      if (type === 'scroll') own.watchesScroll = true;
      return listen.call(this ?? target, type, ...given);
    };
  }
})`;

/** Waits until nothing changes and no short timer runs. Returns whether the page shows text. */
export const QUIET = `({ quietMs, limitMs }) => new Promise((resolve) => {
  const own = window[Symbol.for('quarry')] ?? { set: setTimeout, due: new Map() };
  const later = (work, ms) => own.set.call(window, work, ms);
  const done = () => {
    observer.disconnect();
    resolve((document.body?.innerText ?? '').trim() !== '');
  };
  const doneOnceDue = () => {
    const left = Math.max(0, ...own.due.values()) - performance.now();
    if (left > 0) timer = later(doneOnceDue, left + quietMs);
    else done();
  };
  let timer = later(doneOnceDue, quietMs);
  const observer = new MutationObserver(() => {
    clearTimeout(timer);
    timer = later(doneOnceDue, quietMs);
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true });
  later(done, limitMs);
})`;

/** Shows each screen of a page once, if the page looks at that. Returns whether it did. */
export const SCROLL = `async ({ maxScreens }) => {
  const own = window[Symbol.for('quarry')] ?? { set: setTimeout, watchesScroll: true };
  const lazy = document.querySelector('iframe[loading="lazy"]');
  if (!own.watchesScroll && lazy === null) return false;
  const shown = () => new Promise((resolve) => {
    requestAnimationFrame(() => own.set.call(window, resolve, 0));
    own.set.call(window, resolve, 100);
  });
  const height = () => document.documentElement.scrollHeight;
  for (let screen = 1; screen <= maxScreens && screen * innerHeight < height(); screen += 1) {
    scrollTo({ top: screen * innerHeight, behavior: 'instant' });
    await shown();
  }
  scrollTo({ top: 0, behavior: 'instant' });
  return true;
}`;

/**
 * The markup of a page as it is now, with open shadow roots and the frames of its own origin; null when it is too
 * large.
 * What is for browsers without scripts is left out. Links keep their meaning where scripts have changed the address.
 */
export const SERIALIZE = `({ url, maxChars }) => {
  for (const element of document.querySelectorAll('noscript')) element.remove();
  if (document.querySelector('base[href]') === null && location.href.split('#', 1)[0] !== url) {
    const base = document.createElement('base');
    base.href = location.href;
    document.head?.prepend(base);
  }
  const partOf = (frame) => {
    // Null for another origin.
    const inner = frame.contentDocument;
    const { width, height } = frame.getBoundingClientRect();
    if (!inner?.body || width * height < 400 || inner.body.innerText.trim() === '') return null;
    const part = document.createElement('section');
    const frames = [...inner.querySelectorAll('iframe, frame')].map((one) => one.contentDocument && partOf(one));
    part.append(...inner.body.cloneNode(true).childNodes, ...frames.filter(Boolean));
    for (const element of part.querySelectorAll('script, style, noscript, iframe, frame')) element.remove();
    for (const name of ['href', 'src']) {
      for (const element of part.querySelectorAll('[' + name + ']')) {
        try {
          element.setAttribute(name, new URL(element.getAttribute(name), inner.baseURI).href);
        } catch {}
      }
    }
    return part;
  };
  const isSet = document.body?.localName === 'frameset';
  const body = isSet ? document.createElement('body') : null;
  for (const frame of document.querySelectorAll('iframe, frame')) {
    const part = partOf(frame);
    if (part === null) continue;
    if (isSet) body.append(part);
    else frame.replaceWith(part);
  }
  if (isSet && body.childNodes.length > 0) document.body.replaceWith(body);
  const shadowRoots = [];
  const visit = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot === null) continue;
      shadowRoots.push(element.shadowRoot);
      visit(element.shadowRoot);
    }
  };
  visit(document);
  const root = document.documentElement;
  const attributes = [...root.attributes].map(
    ({ name, value }) => ' ' + name + '="' + value.replaceAll('"', '&quot;') + '"');
  const html = '<!doctype html><html' + attributes.join('') + '>' + root.getHTML({ shadowRoots }) + '</html>';
  return html.length > maxChars ? null : html;
}`;
