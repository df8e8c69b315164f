// What can be set in a plan, by the same names and in the same units on the command line and on the page.

import type { PlanInputs } from './archive-plan.ts'

export interface PlanField {
  /** As on the command line: --page-size. */
  readonly name: string
  readonly label: string
  readonly unit: string
  readonly min: number
  readonly max: number
  readonly read: (inputs: PlanInputs) => number | undefined
  readonly write: (inputs: PlanInputs, value: number) => PlanInputs
}

const million = 1e6
const kilobyte = 1e3
const gigabyte = 1e9
const percent = 0.01

export const planFields: readonly PlanField[] = [
  {
    name: 'pages',
    label: 'Pages',
    unit: 'million',
    min: 0.001,
    max: 1e6,
    read: ({ pages }) => pages.count / million,
    write: (inputs, value) => ({ ...inputs, pages: { ...inputs.pages, count: value * million } }),
  },
  {
    name: 'page-size',
    label: 'Size of a page',
    unit: 'kB',
    min: 1,
    max: 10_000,
    read: ({ pages }) => pages.bytes / kilobyte,
    write: (inputs, value) => ({ ...inputs, pages: { ...inputs.pages, bytes: value * kilobyte } }),
  },
  {
    name: 'parts',
    label: 'Images, styles, scripts',
    unit: 'million',
    min: 0,
    max: 1e6,
    read: ({ parts }) => parts.count / million,
    write: (inputs, value) => ({ ...inputs, parts: { ...inputs.parts, count: value * million } }),
  },
  {
    name: 'part-size',
    label: 'Size of one of these',
    unit: 'kB',
    min: 1,
    max: 10_000,
    read: ({ parts }) => parts.bytes / kilobyte,
    write: (inputs, value) => ({ ...inputs, parts: { ...inputs.parts, bytes: value * kilobyte } }),
  },
  {
    name: 'changed',
    label: 'Pages that change in a day',
    unit: '%',
    min: 0,
    max: 100,
    read: ({ pages }) => pages.changedPerDay / percent,
    write: (inputs, value) => ({ ...inputs, pages: { ...inputs.pages, changedPerDay: value * percent } }),
  },
  {
    name: 'added',
    label: 'New ones in a day',
    unit: '%',
    min: 0,
    max: 100,
    read: ({ pages }) => pages.addedPerDay / percent,
    write: (inputs, value) => ({
      ...inputs,
      pages: { ...inputs.pages, addedPerDay: value * percent },
      parts: { ...inputs.parts, addedPerDay: value * percent },
    }),
  },
  {
    name: 'copies',
    label: 'Copies of everything',
    unit: 'peers',
    min: 1,
    max: 16,
    read: ({ copies }) => copies,
    write: (inputs, value) => ({ ...inputs, copies: Math.round(value) }),
  },
  {
    name: 'months',
    label: 'Time to grow',
    unit: 'months',
    min: 0,
    max: 240,
    read: ({ months }) => months,
    write: (inputs, months) => ({ ...inputs, months }),
  },
  {
    name: 'disk',
    label: 'Disk of a peer',
    unit: 'GB',
    min: 1,
    max: 1e6,
    read: ({ diskBytes }) => diskBytes / gigabyte,
    write: (inputs, value) => ({ ...inputs, diskBytes: value * gigabyte }),
  },
  {
    name: 'up',
    label: 'A peer’s line, up',
    unit: 'kbit/s',
    min: 10,
    max: 1e7,
    read: ({ line }) => line.upKbit,
    write: (inputs, upKbit) => ({ ...inputs, line: { ...inputs.line, upKbit } }),
  },
  {
    name: 'down',
    label: 'A peer’s line, down',
    unit: 'kbit/s',
    min: 10,
    max: 1e7,
    read: ({ line }) => line.downKbit,
    write: (inputs, downKbit) => ({ ...inputs, line: { ...inputs.line, downKbit } }),
  },
  {
    name: 'uptime',
    label: 'A peer is there',
    unit: '% of the time',
    min: 1,
    max: 100,
    read: ({ uptime }) => uptime / percent,
    write: (inputs, value) => ({ ...inputs, uptime: value * percent }),
  },
  {
    name: 'stay',
    label: 'A peer stays',
    unit: 'days',
    min: 1,
    max: 10_000,
    read: ({ stayDays }) => stayDays,
    write: (inputs, stayDays) => ({ ...inputs, stayDays }),
  },
  {
    name: 'repair',
    label: 'Lost copies are made anew within',
    unit: 'days',
    min: 0.01,
    max: 1_000,
    read: ({ repairDays }) => repairDays,
    write: (inputs, repairDays) => ({ ...inputs, repairDays }),
  },
]

/** A sentence if the value cannot be that of the field. */
export function fieldProblem({ min, max, unit }: PlanField, value: number): string | undefined {
  if (Number.isFinite(value) && value >= min && value <= max) return undefined
  return `must be a number from ${min} to ${max} (${unit})`
}
