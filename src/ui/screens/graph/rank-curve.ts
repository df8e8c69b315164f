// The curve of a site's rank over time, as SVG.

import type { RankPoint } from '../../../rank/rank-service.ts'
import { printDigits } from '../../markup/amounts.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import { linksTexts } from '../../texts/links.ts'

interface CurveSize {
  readonly width: number
  readonly height: number
  /** With its ends and its highest value in words. */
  readonly isLabelled: boolean
}

const margin = 4
const labelHeight = 20

export function rankCurve(points: readonly RankPoint[], { width, height, isLabelled }: CurveSize): Html {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) return nothing
  const bottom = height - margin - (isLabelled ? labelHeight : 0)
  const top = margin + (isLabelled ? labelHeight : 0)
  const most = Math.max(...points.map(({ score }) => score), Number.MIN_VALUE)
  const x = (atMs: number): number =>
    margin + ((width - 2 * margin) * (atMs - first.atMs)) / Math.max(1, last.atMs - first.atMs)
  const y = (score: number): number => bottom - ((bottom - top) * score) / most
  const line = points.map(({ atMs, score }) => `${x(atMs).toFixed(1)} ${y(score).toFixed(1)}`).join('L')
  const spoken = linksTexts.curve({
    from: percent(first.score),
    fromDay: day(first.atMs),
    to: percent(last.score),
    toDay: day(last.atMs),
  })
  const labels = html`<text x="${margin}" y="14">${percent(most)}</text><text x="${margin}" y="${height - 2}">${day(first.atMs)}</text><text x="${width - margin}" y="${height - 2}" text-anchor="end">${day(last.atMs)}</text>`
  return html`<svg class="rank-curve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${spoken}"><path class="base" d="M${margin} ${bottom}H${width - margin}"/><path class="line" fill="none" d="M${line}"/>${isLabelled ? labels : nothing}</svg>`
}

function percent(score: number): Html {
  return html`${printDigits((100 * score).toPrecision(2))} %`
}

function day(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}
