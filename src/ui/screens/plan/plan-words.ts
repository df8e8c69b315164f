// A plan in words, in the reader's language: the names of what is given, and the figures that follow, in the order in which one asks
// for them. The command line has the same in English (model/capacity/plan-figures.ts).

import type { ArchivePlan, Traffic } from '../../../model/capacity/archive-plan.ts'
import type { PlanField } from '../../../model/capacity/plan-fields.ts'
import { printBytes, printCount, printDigits, printNumber } from '../../markup/amounts.ts'
import { type Html, html } from '../../markup/html.ts'
import { planTexts } from '../../texts/plan.ts'

export const fieldLabels: Readonly<Record<string, Html>> = {
  pages: planTexts.fieldPages,
  'page-size': planTexts.fieldPageSize,
  parts: planTexts.fieldParts,
  'part-size': planTexts.fieldPartSize,
  changed: planTexts.fieldChanged,
  added: planTexts.fieldAdded,
  copies: planTexts.fieldCopies,
  months: planTexts.fieldMonths,
  disk: planTexts.fieldDisk,
  up: planTexts.fieldUp,
  down: planTexts.fieldDown,
  uptime: planTexts.fieldUptime,
  stay: planTexts.fieldStay,
  repair: planTexts.fieldRepair,
}

/** Others are the same in all languages. */
export const unitWords: Readonly<Record<string, Html>> = {
  million: planTexts.unitMillion,
  peers: planTexts.unitPeers,
  months: planTexts.unitMonths,
  '% of the time': planTexts.unitUptime,
  days: planTexts.unitDays,
}

export function fieldMistake({ name, label, min, max, unit }: PlanField): Html {
  return planTexts.mustBe({
    field: fieldLabels[name] ?? label,
    min: printNumber(min),
    max: printNumber(max),
    unit: unitWords[unit] ?? unit,
  })
}

interface PlanFigure {
  readonly label: Html
  readonly value: Html
}

const limits = {
  disk: planTexts.limitDisk,
  line: planTexts.limitLine,
  copies: planTexts.limitCopies,
} as const

export function planFigures(plan: ArchivePlan): PlanFigure[] {
  const { perPeer, bytes } = plan
  const rates = ({ up, down }: Traffic): Html =>
    planTexts.rates({ up: printCount(up), down: printCount(down) })
  return [
    {
      label: planTexts.peersNeeded,
      value: planTexts.peersNeededOf({
        peers: printCount(plan.peers),
        min: printCount(plan.peersMin),
        limit: limits[plan.limitedBy],
      }),
    },
    { label: planTexts.firstCrawl, value: printBytes(bytes.firstCrawl) },
    { label: planTexts.growth, value: planTexts.perMonth({ bytes: printBytes(bytes.perMonth) }) },
    {
      label: planTexts.atEnd,
      value: planTexts.atEndOf({ once: printBytes(bytes.once), copies: printBytes(bytes.withCopies) }),
    },
    {
      label: planTexts.eachKeeps,
      value: planTexts.eachKeepsOf({ bytes: printBytes(bytes.perPeer), urls: printCount(perPeer.urls) }),
    },
    {
      label: planTexts.eachAsks,
      value: planTexts.timesADay({ number: printCount(perPeer.requestsPerDay) }),
    },
    { label: planTexts.toCrawl, value: rates(perPeer.crawl) },
    { label: planTexts.withRepair, value: rates(perPeer.total) },
    {
      label: planTexts.timeToRepair,
      value: planTexts.days({ number: printDigits(plan.repairDays.toPrecision(2)) }),
    },
    { label: planTexts.lostInYear, value: planTexts.ofKept({ chance: printChance(plan.lossPerYear) }) },
    {
      label: planTexts.lostWithPeer,
      value: planTexts.ofItKept({ chance: printChance(plan.lossPerDeparture) }),
    },
    {
      label: planTexts.readable,
      value: planTexts.ofTime({ share: printDigits((100 * plan.availability).toPrecision(5)) }),
    },
  ]
}

/** `0.014 %`, `1 in 3e+6` where percents have too many zeros. */
function printChance(chance: number): Html {
  if (chance === 0) return planTexts.nothingLost
  if (chance >= 1e-5) return html`${printDigits(String(Number((100 * chance).toPrecision(2))))} %`
  return planTexts.oneIn({ number: (1 / chance).toPrecision(1) })
}
