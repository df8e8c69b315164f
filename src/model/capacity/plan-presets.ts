// Plans to begin with: the two of the Herodotus thesis, and one of today's web.

import type { PlanInputs } from './archive-plan.ts'

const herodotusPages = { count: 2e9, bytes: 12e3, compressed: 0.25, changedPerDay: 0.05, addedPerDay: 0.005 }
const herodotusParts = { count: 1.54e9, bytes: 32e3, compressed: 1, changedPerDay: 0, addedPerDay: 0.005 }

const herodotus: PlanInputs = {
  pages: herodotusPages,
  parts: herodotusParts,
  deltaShare: 1,
  linksPerPage: 36,
  urlBytes: 59,
  newLinks: 0.1,
  visitedPerDay: 1,
  requestBytes: { up: 80, down: 20 },
  copies: 6,
  fetchedBy: 'every-holder',
  months: 9,
  diskBytes: 100e9,
  // "Typical home broadband" of 2002; the thesis takes 1 Mbit/s down.
  line: { upKbit: 256, downKbit: 1_000 },
  uptime: 0.8,
  stayDays: 360,
  repairDays: 60,
}

export const planPresets = {
  herodotus,
  /** Pages without images, on machines of universities that can be relied on. */
  'herodotus-light': { ...herodotus, parts: { ...herodotusParts, count: 0 }, copies: 3 },
  /**
   * Pages: what large search engines know. A page has 90 kB, 18 kB of them are sent (HTTP Archive, 2024: the median); so much
   * is kept. Parts: of the 70 that a page asks for most are shared by the pages of a site and kept once; four of 40 kB are its
   * own. Changes are kept as deltas, and URLs visited by how often they change.
   */
  today: {
    pages: { count: 50e9, bytes: 90e3, compressed: 0.2, changedPerDay: 0.03, addedPerDay: 0.002 },
    parts: { count: 200e9, bytes: 40e3, compressed: 1, changedPerDay: 0, addedPerDay: 0.002 },
    deltaShare: 0.1,
    linksPerPage: 100,
    urlBytes: 20,
    newLinks: 0.1,
    visitedPerDay: 0.05,
    requestBytes: { up: 500, down: 500 },
    copies: 3,
    fetchedBy: 'one',
    months: 12,
    diskBytes: 2e12,
    line: { upKbit: 20_000, downKbit: 100_000 },
    uptime: 0.8,
    stayDays: 360,
  },
} as const satisfies Record<string, PlanInputs>

export type PlanPreset = keyof typeof planPresets
