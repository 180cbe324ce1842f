import archive from '~icons/lucide/archive';
import arrowDown from '~icons/lucide/arrow-down';
import arrowRight from '~icons/lucide/arrow-right';
import arrowUp from '~icons/lucide/arrow-up';
import arrowUpDown from '~icons/lucide/arrow-up-down';
import audioLines from '~icons/lucide/audio-lines';
import ban from '~icons/lucide/ban';
import bell from '~icons/lucide/bell';
import bookOpen from '~icons/lucide/book-open';
import bookmark from '~icons/lucide/bookmark';
import bookmarkPlus from '~icons/lucide/bookmark-plus';
import box from '~icons/lucide/box';
import braces from '~icons/lucide/braces';
import calendar from '~icons/lucide/calendar';
import captions from '~icons/lucide/captions';
import chartColumn from '~icons/lucide/chart-column';
import check from '~icons/lucide/check';
import chevronDown from '~icons/lucide/chevron-down';
import chevronLeft from '~icons/lucide/chevron-left';
import chevronRight from '~icons/lucide/chevron-right';
import chevronUp from '~icons/lucide/chevron-up';
import chevronsLeft from '~icons/lucide/chevrons-left';
import chevronsRight from '~icons/lucide/chevrons-right';
import chevronsUpDown from '~icons/lucide/chevrons-up-down';
import circleAlert from '~icons/lucide/circle-alert';
import circleCheck from '~icons/lucide/circle-check';
import circleDashed from '~icons/lucide/circle-dashed';
import circleHelp from '~icons/lucide/circle-help';
import clock from '~icons/lucide/clock';
import copy from '~icons/lucide/copy';
import cpu from '~icons/lucide/cpu';
import download from '~icons/lucide/download';
import ellipsis from '~icons/lucide/ellipsis';
import externalLink from '~icons/lucide/external-link';
import eye from '~icons/lucide/eye';
import fileText from '~icons/lucide/file-text';
import fileX from '~icons/lucide/file-x';
import flaskConical from '~icons/lucide/flask-conical';
import folder from '~icons/lucide/folder';
import folderPlus from '~icons/lucide/folder-plus';
import folderSync from '~icons/lucide/folder-sync';
import gauge from '~icons/lucide/gauge';
import gitCompareArrows from '~icons/lucide/git-compare-arrows';
import globe from '~icons/lucide/globe';
import hardDrive from '~icons/lucide/hard-drive';
import highlighter from '~icons/lucide/highlighter';
import history from '~icons/lucide/history';
import house from '~icons/lucide/house';
import image from '~icons/lucide/image';
import info from '~icons/lucide/info';
import keyRound from '~icons/lucide/key-round';
import languages from '~icons/lucide/languages';
import layers from '~icons/lucide/layers';
import layoutGrid from '~icons/lucide/layout-grid';
import libraryBig from '~icons/lucide/library-big';
import link from '~icons/lucide/link';
import list from '~icons/lucide/list';
import listFilter from '~icons/lucide/list-filter';
import listTree from '~icons/lucide/list-tree';
import loaderCircle from '~icons/lucide/loader-circle';
import lock from '~icons/lucide/lock';
import maximize from '~icons/lucide/maximize';
import memoryStick from '~icons/lucide/memory-stick';
import messageSquareDiff from '~icons/lucide/message-square-diff';
import messageSquarePlus from '~icons/lucide/message-square-plus';
import mic from '~icons/lucide/mic';
import moon from '~icons/lucide/moon';
import music4 from '~icons/lucide/music-4';
import panelTop from '~icons/lucide/panel-top';
import pause from '~icons/lucide/pause';
import penLine from '~icons/lucide/pen-line';
import pencil from '~icons/lucide/pencil';
import play from '~icons/lucide/play';
import plug from '~icons/lucide/plug';
import plugZap from '~icons/lucide/plug-zap';
import plus from '~icons/lucide/plus';
import rotateCcw from '~icons/lucide/rotate-ccw';
import rotateCw from '~icons/lucide/rotate-cw';
import route from '~icons/lucide/route';
import rows3 from '~icons/lucide/rows-3';
import save from '~icons/lucide/save';
import scrollText from '~icons/lucide/scroll-text';
import search from '~icons/lucide/search';
import send from '~icons/lucide/send';
import share from '~icons/lucide/share';
import shieldAlert from '~icons/lucide/shield-alert';
import shieldCheck from '~icons/lucide/shield-check';
import slidersHorizontal from '~icons/lucide/sliders-horizontal';
import smartphone from '~icons/lucide/smartphone';
import sparkles from '~icons/lucide/sparkles';
import speech from '~icons/lucide/speech';
import square from '~icons/lucide/square';
import stickyNote from '~icons/lucide/sticky-note';
import sun from '~icons/lucide/sun';
import sunMoon from '~icons/lucide/sun-moon';
import tag from '~icons/lucide/tag';
import terminal from '~icons/lucide/terminal';
import trash2 from '~icons/lucide/trash-2';
import triangleAlert from '~icons/lucide/triangle-alert';
import undo2 from '~icons/lucide/undo-2';
import unplug from '~icons/lucide/unplug';
import upload from '~icons/lucide/upload';
import user from '~icons/lucide/user';
import users from '~icons/lucide/users';
import volume2 from '~icons/lucide/volume-2';
import wallet from '~icons/lucide/wallet';
import webhook from '~icons/lucide/webhook';
import x from '~icons/lucide/x';

/** The icons of the window, by their names at Lucide. Add a line here to use another one. */
const ICONS = {
  archive,
  'arrow-down': arrowDown,
  'arrow-right': arrowRight,
  'arrow-up': arrowUp,
  'audio-lines': audioLines,
  ban,
  bell,
  'book-open': bookOpen,
  bookmark,
  box,
  braces,
  calendar,
  captions,
  'chart-column': chartColumn,
  check,
  'chevron-down': chevronDown,
  'chevron-left': chevronLeft,
  'chevron-right': chevronRight,
  'chevron-up': chevronUp,
  'chevrons-left': chevronsLeft,
  'chevrons-right': chevronsRight,
  'chevrons-up-down': chevronsUpDown,
  'circle-alert': circleAlert,
  'circle-check': circleCheck,
  'circle-dashed': circleDashed,
  'circle-help': circleHelp,
  clock,
  copy,
  cpu,
  download,
  ellipsis,
  'external-link': externalLink,
  eye,
  'file-text': fileText,
  'file-x': fileX,
  'flask-conical': flaskConical,
  folder,
  'folder-sync': folderSync,
  gauge,
  globe,
  'hard-drive': hardDrive,
  history,
  house,
  image,
  info,
  'key-round': keyRound,
  languages,
  layers,
  'library-big': libraryBig,
  link,
  list,
  'list-filter': listFilter,
  'list-tree': listTree,
  'loader-circle': loaderCircle,
  lock,
  maximize,
  'memory-stick': memoryStick,
  'message-square-diff': messageSquareDiff,
  'message-square-plus': messageSquarePlus,
  mic,
  moon,
  'music-4': music4,
  pause,
  'pen-line': penLine,
  pencil,
  play,
  plug,
  'plug-zap': plugZap,
  plus,
  'rotate-ccw': rotateCcw,
  'rotate-cw': rotateCw,
  route,
  'rows-3': rows3,
  save,
  'scroll-text': scrollText,
  search,
  send,
  'shield-alert': shieldAlert,
  'shield-check': shieldCheck,
  'sliders-horizontal': slidersHorizontal,
  smartphone,
  sparkles,
  speech,
  square,
  sun,
  'sun-moon': sunMoon,
  tag,
  terminal,
  'trash-2': trash2,
  'triangle-alert': triangleAlert,
  'undo-2': undo2,
  unplug,
  upload,
  user,
  users,
  'volume-2': volume2,
  wallet,
  webhook,
  x,
  'bookmark-plus': bookmarkPlus,
  'folder-plus': folderPlus,
  'git-compare-arrows': gitCompareArrows,
  highlighter,
  'layout-grid': layoutGrid,
  'panel-top': panelTop,
  share,
  'sticky-note': stickyNote,
  'arrow-up-down': arrowUpDown,
} as const;

export type IconName = keyof typeof ICONS;

interface IconProps {
  name: IconName;
  /** 16 in text and buttons, 14 in small buttons, 20 and more in tiles and tabs. */
  size?: number;
  className?: string;
}

/** A decorative icon: the same information is always available as text. */
export function Icon({ name, size = 16, className = '' }: IconProps) {
  return (
    <svg
      className={`icon ${className}`}
      data-points={/-(?:left|right)$/.test(name)}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      strokeWidth={size >= 20 ? 1.6 : 1.75}
      aria-hidden="true"
      focusable="false"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the drawing comes from the icon package at build time.
      dangerouslySetInnerHTML={{ __html: ICONS[name] }}
    />
  );
}
