// The results of a plan in words, in the order in which one asks for them.

import type { ArchivePlan, Traffic } from './archive-plan.ts'

export interface PlanFigure {
  readonly label: string
  readonly value: string
}

interface Printing {
  readonly count: (count: number) => string
  readonly bytes: (bytes: number) => string
}

const limits = {
  disk: 'disks are what is lacking',
  line: 'lines are what is lacking',
  copies: 'each copy needs a peer of its own',
}

export function planFiguresOf(plan: ArchivePlan, { count, bytes }: Printing): PlanFigure[] {
  const { perPeer } = plan
  const rates = ({ up, down }: Traffic): string => `${count(up)} kbit/s up, ${count(down)} down`
  return [
    {
      label: 'peers needed',
      value: `${count(plan.peers)} (at least ${count(plan.peersMin)}: ${limits[plan.limitedBy]})`,
    },
    { label: 'first crawl', value: bytes(plan.bytes.firstCrawl) },
    { label: 'growth', value: `${bytes(plan.bytes.perMonth)} a month` },
    {
      label: 'at the end',
      value: `${bytes(plan.bytes.once)}; ${bytes(plan.bytes.withCopies)} with all copies`,
    },
    {
      label: 'each peer keeps',
      value: `${bytes(plan.bytes.perPeer)}, and crawls ${count(perPeer.urls)} URLs`,
    },
    { label: 'each peer asks', value: `${count(perPeer.requestsPerDay)} times a day` },
    { label: 'traffic to crawl', value: rates(perPeer.crawl) },
    { label: 'with a repair', value: rates(perPeer.total) },
    { label: 'time to repair', value: `${plan.repairDays.toPrecision(2)} days` },
    { label: 'lost in a year', value: `${printChance(plan.lossPerYear)} of what is kept` },
    {
      label: 'lost with a peer',
      value: `${printChance(plan.lossPerDeparture)} of what it kept, when it leaves for good`,
    },
    { label: 'can be read', value: `${(100 * plan.availability).toPrecision(5)} % of the time` },
  ]
}

/** `0.014 %`, `1 in 3,000,000` where percents have too many zeros. */
function printChance(chance: number): string {
  if (chance === 0) return 'nothing'
  if (chance >= 1e-5) return `${Number((100 * chance).toPrecision(2))} %`
  return `1 in ${(1 / chance).toPrecision(1)}`
}
