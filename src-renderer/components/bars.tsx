import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { directionOf } from '../../src-server/platform/text/format-message.ts';
import { shownLanguage } from '../language/locale.ts';
import { formatWholeNumber } from './format.ts';

interface BarSeries {
  /** The field of a row. */
  name: string;
  label: string;
  /** A colour of the tokens: `var(--q-kind-read)`. `play` hatches the bars: sums of play money. */
  colour: string;
}

export interface BarsProps {
  /** Oldest first; `at` is the name of the bar on the axis: "25 Oct". */
  rows: readonly ({ at: string } & Record<string, number | string>)[];
  series: readonly BarSeries[];
  /** What it shows, for screen readers: "Jobs a day, by kind of work". */
  label: string;
  /** The maximum at the top left: "38 a day". */
  top: string;
  /** How a value reads in the tooltip. */
  format?: (value: number) => string;
  height?: number;
  legend?: boolean;
}

interface BarsFormat {
  format: (value: number) => string;
}

/** The pattern of play money, as a colour. */
const HATCHED = 'url(#play-money)';

/**
 * Stacked bars over time in the one style of all plots: three faint lines, no axis line, the maximum at the top left,
 * first and last date below. The table behind it is for screen readers.
 */
export function Bars({ rows, series, label, top, height = 119, legend = false, ...given }: BarsProps) {
  const { format = formatWholeNumber } = given;
  const barSeriesColour = (colour: string) => (colour === 'play' ? HATCHED : colour);
  return (
    <figure className="plot-figure" aria-label={label}>
      <div className="plot" aria-hidden="true">
        <BarChart
          h={height}
          data={rows.map((row) => ({ ...row }))}
          dataKey="at"
          type="stacked"
          series={series.map((one) => ({ name: one.name, label: one.label, color: barSeriesColour(one.colour) }))}
          withXAxis={false}
          withYAxis={false}
          xAxisProps={{ reversed: directionOf(shownLanguage()) === 'rtl' }}
          yAxisProps={{ domain: [0, (most: number) => Math.max(most, 1)], tickCount: 4 }}
          gridAxis="x"
          gridColor="var(--q-plot-grid)"
          strokeDasharray="0"
          valueFormatter={format}
          barProps={{ stroke: 'var(--plot-ground, var(--q-bed))', strokeWidth: 1, isAnimationActive: false }}
          barChartProps={{ margin: { top: 2, right: 0, bottom: 0, left: 0 }, barCategoryGap: 1.5 }}
          // The table below is for the keyboard and for screen readers: nothing in the plot takes the focus.
          accessibilityLayer={false}
          tooltipAnimationDuration={0}
        >
          <defs>
            <pattern id="play-money" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width="6" height="6" style={{ fill: 'var(--q-wait-tint)' }} />
              <rect width="2" height="6" style={{ fill: 'var(--q-wait)' }} />
            </pattern>
          </defs>
        </BarChart>
        <span className="plot-top">{top}</span>
        <div className="plot-axis">
          <span>{rows[0]?.at}</span>
          <span>{rows.length > 1 ? rows.at(-1)?.at : ''}</span>
        </div>
      </div>
      {legend && (
        <ul className="plot-legend">
          {series.map(({ name, label: title, colour }) => (
            <li key={name}>
              <i style={{ background: colour === 'play' ? 'var(--q-wait)' : colour }} />
              {title}
            </li>
          ))}
        </ul>
      )}
      <BarsTable {...{ rows, series, label, format }} />
    </figure>
  );
}

/** The same for screen readers. A table is as high as its rows, and would lengthen the page: it is in a box. */
function BarsTable({ rows, series, label, format }: Pick<BarsProps, 'rows' | 'series' | 'label'> & BarsFormat) {
  return (
    <div className="hidden-text">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <td />
            {series.map(({ name, label: title }) => (
              <th key={name} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.at}>
              <th scope="row">{row.at}</th>
              {series.map(({ name }) => (
                <td key={name}>{format(Number(row[name] ?? 0))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
