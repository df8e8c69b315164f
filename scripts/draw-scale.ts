// `node scripts/draw-scale.ts FILE… [--image NAME]`: from logs of `npm run sim -- scale --log FILE`, also of runs that go on or were cut off:
// a table of what each run came to, and of the last run a picture, docs/images/NAME.svg (scale.svg unless told).

import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Sample } from '../sim/scale/scenario.ts'

interface Options {
  kind: 'options'
  peers: number
  minutes: number
  churn: number
  slowness: number
  lookups: number
  heapPerPlace: number
}
type Healed = Sample & { healSeconds: number; ownedSeconds: number }

interface Run {
  readonly options: Options
  readonly samples: readonly Sample[]
  readonly healed: Healed | undefined
}

type Kind = keyof Sample['lookups']

function readRun(file: string): Run {
  const whole = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  const [options, ...lines] = whole.map((line) => JSON.parse(line))
  return {
    options,
    samples: lines.filter(({ kind }: Sample) => kind === 'sample'),
    healed: lines.find(({ kind }: Sample) => kind === 'healed'),
  }
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0)
}

function mean<T>(values: readonly T[], of: (value: T) => number): number {
  return sum(values, of) / values.length
}

function hopsOf(samples: readonly Sample[], kind: Kind): number {
  const answered = sum(samples, ({ lookups }) => lookups[kind].right + lookups[kind].wrong)
  return sum(samples, ({ lookups }) => lookups[kind].hops) / answered
}

function allLookups(samples: readonly Sample[], of: 'right' | 'wrong' | 'unanswered'): number {
  return sum(samples, ({ lookups }) => sum(Object.values(lookups), (figures) => figures[of]))
}

function row({ options, samples, healed }: Run): (string | number)[] {
  const { peers, churn, slowness } = options
  const last = samples.at(-1)!
  const [wrong, unanswered, right] = (['wrong', 'unanswered', 'right'] as const).map((of) =>
    allLookups(samples, of),
  ) as [number, number, number]
  const heaps = samples.flatMap(({ heapPerPlace }) => heapPerPlace ?? [])
  return [
    peers.toLocaleString('en'),
    churn,
    slowness,
    (last.atMinutes / 60).toFixed(1),
    hopsOf(samples, 'cold').toFixed(2),
    hopsOf(samples, 'usual').toFixed(2),
    hopsOf(samples.slice(-Math.ceil(samples.length / 4)), 'warm').toFixed(2),
    (wrong + unanswered + right).toLocaleString('en'),
    wrong,
    `${((100 * unanswered) / (wrong + unanswered + right)).toFixed(2)} %`,
    sum(samples.slice(-1), ({ twoOwners }) => twoOwners),
    mean(samples, ({ bytesPerSecond }) => bytesPerSecond).toFixed(0),
    mean(samples, ({ callsPerSecond }) => callsPerSecond).toFixed(2),
    healed === undefined ? '' : `${healed.healSeconds} / ${healed.ownedSeconds}`,
    Math.round((heaps.at(-1) ?? 0) / 1_000),
    (last.rssMb / 1_000).toFixed(1),
    last.cpuSeconds.toFixed(0),
  ]
}

const columns = [
  'places',
  'median session, min',
  'slowness',
  'hours',
  'hops cold',
  'usual',
  'warm (last quarter)',
  'lookups',
  'wrong',
  'unanswered',
  'two owners',
  'bytes/s a place',
  'calls/s',
  'whole / owned after the tenth left, s',
  'kB heap a place',
  'GB',
  'CPU s',
]

interface Curve {
  readonly name: string
  readonly color: string
  readonly of: (sample: Sample) => number
}

const blue = '#3b82c4'
const orange = '#d9822b'
const green = '#3f9d6b'

/** Greys and colours that can be read on white and on black. */
function panel(title: string, run: Run, at: number, curves: readonly Curve[], isPercent = false): string {
  const [width, height] = [330, 130]
  const left = 50 + (at % 2) * 410
  const top = 40 + Math.floor(at / 2) * 190
  const { samples, options, healed } = run
  const values = curves.flatMap(({ of }) => samples.map(of)).filter(Number.isFinite)
  const most = isPercent ? 1 : Math.max(...values, 1e-9) * 1.08
  const least = isPercent ? Math.max(0, Math.floor(20 * Math.min(...values) - 1) / 20) : 0
  const hours = Math.max(options.minutes, samples.at(-1)!.atMinutes) / 60
  const x = (minutes: number): number => left + (minutes / 60 / hours) * width
  const y = (value: number): number => top + height - ((value - least) / (most - least)) * height
  const lines = curves.map(({ color, of }) => {
    const points = samples
      .filter((sample) => Number.isFinite(of(sample)))
      .map((sample) => `${x(sample.atMinutes).toFixed(1)},${y(of(sample)).toFixed(1)}`)
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="1.5"/>`
  })
  const names = curves
    .map(({ name, color }, index) => `<tspan fill="${color}"${index > 0 ? ' dx="8"' : ''}>${name}</tspan>`)
    .join('')
  const struck =
    healed &&
    `<line x1="${x(healed.atMinutes)}" x2="${x(healed.atMinutes)}" y1="${top}" y2="${top + height}" stroke="#888" stroke-dasharray="3 3"/>`
  const told = (value: number): string =>
    isPercent ? `${(100 * value).toFixed(1)} %` : String(Number(value.toPrecision(2)))
  return `<text x="${left}" y="${top - 8}">${title} ${names}</text>
<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="none" stroke="#888" stroke-opacity="0.6"/>
${struck ?? ''}
${lines.join('\n')}
<text x="${left - 4}" y="${top + 10}" text-anchor="end">${told(most)}</text>
<text x="${left - 4}" y="${top + height}" text-anchor="end">${told(least)}</text>
<text x="${left}" y="${top + height + 15}">0 h</text><text x="${left + width}" y="${top + height + 15}" text-anchor="end">${hours.toFixed(1)} h</text>`
}

function hops(kind: Kind): Curve['of'] {
  return (sample) => hopsOf([sample], kind)
}

function answeredShare(sample: Sample): number {
  const [right, wrong, unanswered] = (['right', 'wrong', 'unanswered'] as const).map((of) =>
    allLookups([sample], of),
  ) as [number, number, number]
  return right / (right + wrong + unanswered)
}

function draw(run: Run): string {
  const { peers, churn, slowness } = run.options
  const panels = [
    panel('Hops of a lookup:', run, 0, [
      { name: 'cold', color: blue, of: hops('cold') },
      { name: 'usual', color: green, of: hops('usual') },
      { name: 'warm', color: orange, of: hops('warm') },
    ]),
    panel('Bytes a second and place', run, 1, [
      { name: '', color: blue, of: ({ bytesPerSecond }) => bytesPerSecond },
    ]),
    panel('Lookups answered rightly', run, 2, [{ name: '', color: blue, of: answeredShare }], true),
    panel(
      'Places with exactly their neighbours',
      run,
      3,
      [{ name: '', color: blue, of: ({ idealShare }) => idealShare }],
      true,
    ),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 400" font-family="sans-serif" font-size="12" fill="#888">
<title>${peers} places, median session ${churn} minutes, slowness ${slowness}; dashed: a tenth leaves at once</title>
${panels.join('\n')}
</svg>
`
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { image: { type: 'string', default: 'scale' } },
})
const runs = positionals.map(readRun).filter(({ samples }) => samples.length > 0)
console.log(`| ${columns.join(' | ')} |\n|${columns.map(() => '---|').join('')}`)
for (const run of runs) console.log(`| ${row(run).join(' | ')} |`)
if (runs.length > 0)
  writeFileSync(new URL(`../docs/images/${values.image}.svg`, import.meta.url), draw(runs.at(-1)!))
