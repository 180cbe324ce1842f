import { Tabs } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { namedEntries } from './choices.ts';
import { PAGE_TITLE } from './page-elements.tsx';

interface TabBarProps<Name extends string> {
  names: Readonly<Record<Name, string>>;
  selected: Name;
  /** Count shown after the name of a tab. */
  countOf?: (name: Name) => number;
}

/** Tabs of a page on one line, called as the page. Scrolls sideways to the selected tab if there is no room. */
export function TabBar<Name extends string>({ names, selected, countOf = () => 0 }: TabBarProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the selected tab decides the scroll position.
  useEffect(() => {
    const box = list.current;
    if (box === null) return;
    const watch = new ResizeObserver(() => {
      const tab = box.querySelector<HTMLElement>('[aria-selected="true"]');
      if (tab === null) return;
      const end = tab.offsetLeft + tab.offsetWidth - box.clientWidth;
      box.scrollLeft = Math.min(tab.offsetLeft, Math.max(box.scrollLeft, end));
    });
    watch.observe(box);
    return () => watch.disconnect();
  }, [selected]);
  return (
    <Tabs.List mb="md" ref={list} aria-labelledby={PAGE_TITLE}>
      {namedEntries(names).map(([name, label]) => (
        <Tabs.Tab key={name} value={name}>
          {label}
          {countOf(name) > 0 ? ` (${countOf(name)})` : ''}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}
