// The page of plans: what is given, with sliders where the browser runs our script, and what follows from it.

import { type PlanInputs, planArchive } from '../../../model/capacity/archive-plan.ts'
import { type PlanField, planFields } from '../../../model/capacity/plan-fields.ts'
import { type PlanPreset, planPresets } from '../../../model/capacity/plan-presets.ts'
import { printCount } from '../../markup/amounts.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { planTexts } from '../../texts/plan.ts'
import { planPlots } from './plan-plots.ts'
import { fieldLabels, planFigures, unitWords } from './plan-words.ts'

interface PlanData {
  readonly preset: PlanPreset
  readonly inputs: PlanInputs
  readonly mistakes: readonly Html[]
}

const presetNames: Record<PlanPreset, Html> = {
  today: planTexts.today,
  herodotus: planTexts.herodotus,
  'herodotus-light': planTexts.herodotusLight,
}

export function planScreen({ preset, inputs, mistakes }: PlanData): Screen {
  return {
    title: planTexts.title,
    name: 'plan',
    script: 'plan.ts',
    body: html`<header class="about-url"><h1>${planTexts.title}</h1>
<p>${planTexts.lead({ presets: presetLinks(preset) })}</p></header>
${mistakes.map((mistake) => html`<p class="trouble" role="alert">${mistake}</p>`)}
<div class="planning"><form class="plan-form" action="/plan" data-preset="${preset}"><input type="hidden" name="preset" value="${preset}">
${planFields.map((field) => fieldInput(field, inputs))}
<div class="actions"><button type="submit">${planTexts.calculate}</button></div></form>
<div class="plan-results" aria-live="polite">${planResults(inputs)}</div></div>`,
  }
}

export function planResults(inputs: PlanInputs): Html {
  const plan = planArchive(inputs)
  const figures = planFigures(plan)
  return html`<p class="plan-peers"><strong>${printCount(plan.peers)}</strong> ${planTexts.peers}</p>
${plan.shortage === undefined ? nothing : html`<p class="trouble" role="status">${inEnglish(plan.shortage)}</p>`}
<dl class="plan-figures">${figures.map(({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>
${planPlots(inputs)}`
}

function fieldInput({ name, label, unit, min, max, read }: PlanField, inputs: PlanInputs): Html {
  const value = read(inputs)
  return html`<div class="field plan-field"><label for="plan-${name}">${fieldLabels[name] ?? inEnglish(label)} <span class="unit">${unitWords[unit] ?? unit}</span></label>
<input id="plan-${name}" name="${name}" type="number" step="any" min="${min}" max="${max}" value="${value === undefined ? '' : String(Number(value.toPrecision(6)))}"${value === undefined ? html` placeholder="${planTexts.asLinesAllow}"` : nothing}></div>`
}

function presetLinks(current: PlanPreset): Html {
  const names = Object.keys(planPresets) as PlanPreset[]
  return html`${names.map((name, place) => html`${place === 0 ? nothing : ', '}<a href="/plan?preset=${name}"${name === current ? html` aria-current="true"` : nothing}>${presetNames[name]}</a>`)}`
}
