/**
 * Tabs of a page. A browser shows one panel at a time; its reader can open them all, so each is read below its label.
 * Threat: labels without panels. They are bounded, and those that no panel takes are text of the page.
 */

interface Tab {
  id: string;
  /** Identifier of its panel, where the tab names it. */
  panel: string;
  text: string;
}

interface Group {
  tabs: Tab[];
  /** Whether one of its panels has begun. */
  isOpened: boolean;
}

const MAX_TABS = 200;

/** Around labels that are tabs: Material for MkDocs, sphinx-design, VitePress. */
const LABELS_AROUND = /(?:^|\s)(?:tabbed-labels|tabbed-set|sd-tab-set|tab-set|tabs)(?:\s|$)/;

const PANEL = /(?:^|\s)(?:tabbed-block|tab-pane)(?:\s|$)/;

/** The panel of the one label before it, or the frame of several panels. */
const PANEL_OR_PANELS = /(?:^|\s)(?:tabbed-content|sd-tab-content|tab-content)(?:\s|$)/;

/** Around the code blocks of VitePress, which are panels. */
const PANELS_AROUND = /(?:^|\s)blocks(?:\s|$)/;

type Attributes = Readonly<Record<string, string>>;

/** Holds the labels of tabs until their panels begin. Depths are those of elements. */
export class TabLabels {
  readonly #groups: Group[] = [];
  readonly #labelsAround: number[] = [];
  readonly #panelsAround: number[] = [];
  readonly #panels: number[] = [];
  #count = 0;
  /** Depth of the open tab, and the tab; 0 outside one. */
  #tabDepth = 0;
  #tab: Tab = { id: '', panel: '', text: '' };

  /** Whether text is that of a tab. */
  get isInTab(): boolean {
    return this.#tabDepth > 0;
  }

  addTabText(text: string): void {
    this.#tab.text += text;
  }

  /** Whether the element is a panel whose label waits: it is read even where it is hidden. */
  isPanelElement(attributes: Attributes, depth: number): boolean {
    const waiting = this.#groups.at(-1)?.tabs.length ?? 0;
    if (waiting === 0 || this.#tabDepth > 0) return false;
    const { class: classes = '', role } = attributes;
    if (role === 'tabpanel' || PANEL.test(classes)) return true;
    return (waiting === 1 && PANEL_OR_PANELS.test(classes)) || this.#panelsAround.at(-1) === depth - 1;
  }

  /** Begins a panel. Returns the text of its label. */
  openTabPanel({ id = '', 'aria-labelledby': labelled = '' }: Attributes, depth: number): string {
    const group = this.#groups.at(-1);
    if (group === undefined) return '';
    this.#panels.push(depth);
    group.isOpened = true;
    const named = group.tabs.findIndex(
      (tab) => (tab.panel !== '' && tab.panel === id) || (tab.id !== '' && tab.id === labelled),
    );
    const [tab] = group.tabs.splice(Math.max(0, named), 1);
    if (group.tabs.length === 0) this.#groups.pop();
    return tab?.text ?? '';
  }

  openTabElement(tag: string, attributes: Attributes, depth: number): void {
    const { class: classes = '', role, id = '' } = attributes;
    const isPlain = attributes.class === undefined && role === undefined && tag !== 'label';
    if (isPlain || this.#tabDepth > 0) return;
    if (LABELS_AROUND.test(classes)) this.#labelsAround.push(depth);
    if (PANELS_AROUND.test(classes) && this.#groups.length > 0) this.#panelsAround.push(depth);
    const isTab = role === 'tab' || (tag === 'label' && this.#labelsAround.length > 0);
    if (!isTab || this.#count >= MAX_TABS) return;
    this.#count += 1;
    this.#tabDepth = depth;
    const { 'aria-controls': panel = attributes.href?.replace(/^#/, '') ?? '' } = attributes;
    this.#tab = { id, panel, text: '' };
  }

  closeTabElement(depth: number): void {
    if (this.#tabDepth === depth) {
      this.#tabDepth = 0;
      this.#keepTab(this.#tab);
    }
    if (this.#labelsAround.at(-1) === depth) this.#labelsAround.pop();
    if (this.#panelsAround.at(-1) === depth) this.#panelsAround.pop();
    if (this.#panels.at(-1) === depth) this.#panels.pop();
  }

  /** The labels that wait while text outside their panels begins, or the page ends. */
  takeWaitingLabels(): string[] {
    if (this.#groups.length === 0 || this.#panels.length > 0) return [];
    return this.#groups.splice(0).flatMap(({ tabs }) => tabs.map(({ text }) => text));
  }

  #keepTab(tab: Tab): void {
    const text = tab.text.replace(/\s+/g, ' ').trim();
    if (text === '') return;
    const group = this.#groups.at(-1);
    if (group === undefined || group.isOpened) this.#groups.push({ tabs: [{ ...tab, text }], isOpened: false });
    else group.tabs.push({ ...tab, text });
  }
}
