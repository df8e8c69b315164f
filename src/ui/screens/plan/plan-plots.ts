// Two plots of a plan: how full the disks get, and what each further copy saves from loss. The page and its script draw them.

import { type PlanInputs, planArchive } from '../../../model/capacity/archive-plan.ts'
import { printBytes, printDigits, printNumber } from '../../markup/amounts.ts'
import { type Html, html } from '../../markup/html.ts'
import { planTexts } from '../../texts/plan.ts'

const width = 520
const height = 220
const left = 8
const bottom = height - 24
const top = 24
const copiesDrawn = 8
/** Less than this in a year is drawn as nothing. */
const lossMin = 1e-12

export function planPlots(inputs: PlanInputs): Html {
  return html`${fillPlot(inputs)}${lossPlot(inputs)}`
}

function fillPlot(inputs: PlanInputs): Html {
  const { bytes, peers } = planArchive(inputs)
  const room = peers * inputs.diskBytes
  const first = bytes.firstCrawl * inputs.copies
  const y = (amount: number): string => (bottom - ((bottom - top) * amount) / room).toFixed(1)
  const spoken = planTexts.fillSpoken({
    first: printBytes(first),
    end: printBytes(bytes.withCopies),
    months: printNumber(inputs.months),
    room: printBytes(room),
  })
  return html`<figure class="plan-plot"><figcaption>${planTexts.disks}</figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${spoken}"><path class="room" d="M${left} ${y(room)}H${width - left}"/><path class="area" d="M${left} ${bottom}V${y(first)}L${width - left} ${y(bytes.withCopies)}V${bottom}Z"/><path class="base" d="M${left} ${bottom}H${width - left}"/>
<text x="${left}" y="${top - 8}">${planTexts.roomFor({ room: printBytes(room) })}</text><text x="${width - left}" y="${Number(y(bytes.withCopies)) + 18}" text-anchor="end">${printBytes(bytes.withCopies)}</text><text x="${left + 4}" y="${Math.min(Number(y(first)) + 18, bottom - 4)}">${printBytes(first)}</text>
<text x="${left}" y="${height - 6}">${planTexts.firstCrawl}</text><text x="${width - left}" y="${height - 6}" text-anchor="end">${planTexts.afterMonths({ months: printNumber(inputs.months) })}</text></svg></figure>`
}

function lossPlot(inputs: PlanInputs): Html {
  const losses = Array.from(
    { length: copiesDrawn },
    (_, index) => planArchive({ ...inputs, copies: index + 1 }).lossPerYear,
  )
  const step = (width - 2 * left) / copiesDrawn
  // A logarithm: each copy makes loss a hundred times less likely, not a little.
  const tall = (loss: number): number =>
    ((bottom - top) * Math.log(Math.max(loss, lossMin) / lossMin)) / Math.log(1 / lossMin)
  const bars = losses.map((loss, index) => {
    const x = left + index * step
    const middle = (x + step / 2).toFixed(1)
    return html`<rect class="${index + 1 === inputs.copies ? 'chosen' : 'other'}" x="${(x + 4).toFixed(1)}" y="${(bottom - tall(loss)).toFixed(1)}" width="${(step - 8).toFixed(1)}" height="${tall(loss).toFixed(1)}"/><text x="${middle}" y="${(bottom - tall(loss) - 5).toFixed(1)}" text-anchor="middle">${shortChance(loss)}</text><text x="${middle}" y="${height - 6}" text-anchor="middle">${index + 1}</text>`
  })
  const spoken = planTexts.lossSpoken({
    copies: copiesDrawn,
    shares: losses.map((loss, index) => html`${index === 0 ? '' : ', '}${shortChance(loss)}`),
  })
  return html`<figure class="plan-plot"><figcaption>${planTexts.lossTitle}</figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${spoken}">${bars}<path class="base" d="M${left} ${bottom}H${width - left}"/></svg></figure>`
}

/** `14 %`, `0.14 %`, `1e-7`. */
function shortChance(chance: number): Html {
  if (chance >= 1e-4) return html`${printDigits(String(Number((100 * chance).toPrecision(2))))} %`
  return html`${chance === 0 ? '0' : chance.toExponential(0)}`
}
