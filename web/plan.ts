// Plans: a slider beside each field, and results that follow as one slides.

import { fieldProblem, type PlanField, planFields } from '../src/model/capacity/plan-fields.ts'
import { planPresets } from '../src/model/capacity/plan-presets.ts'
import { html } from '../src/ui/markup/html.ts'
import { planResults } from '../src/ui/screens/plan/plan.ts'
import { fieldLabels, unitWords } from '../src/ui/screens/plan/plan-words.ts'
import { locale, say } from './reader.ts'

const steps = 1_000
const form = document.querySelector<HTMLFormElement>('.plan-form')!
const results = document.querySelector<HTMLElement>('.plan-results')!
const preset = planPresets[form.dataset.preset as keyof typeof planPresets]

for (const field of planFields) addSlider(field, inputOf(field))
form.addEventListener('submit', (event) => {
  event.preventDefault()
  follow()
})

function addSlider(field: PlanField, input: HTMLInputElement): void {
  const slider = document.createElement('input')
  slider.type = 'range'
  slider.max = String(steps)
  slider.setAttribute(
    'aria-label',
    `${say(fieldLabels[field.name] ?? html`${field.label}`)}, ${say(unitWords[field.unit] ?? html`${field.unit}`)}`,
  )
  slider.value = String(stepOf(field, Number(input.value)))
  slider.addEventListener('input', () => {
    input.value = String(valueAt(field, Number(slider.value)))
    follow()
  })
  input.addEventListener('input', () => {
    slider.value = String(stepOf(field, Number(input.value)))
    follow()
  })
  input.after(slider)
}

/** Amounts that span a thousandfold are chosen by their size, others by their value. */
function isLogarithmic({ min, max }: PlanField): boolean {
  return max / Math.max(min, 0.001) > 1_000
}

/** Of a slider that begins at nothing: its second step. */
function least({ min, max }: PlanField): number {
  return min > 0 ? min : max / 1e9
}

function valueAt(field: PlanField, step: number): number {
  if (step === 0) return field.min
  const value = isLogarithmic(field)
    ? least(field) * (field.max / least(field)) ** (step / steps)
    : field.min + ((field.max - field.min) * step) / steps
  return field.name === 'copies' ? Math.round(value) : Number(value.toPrecision(2))
}

function stepOf(field: PlanField, value: number): number {
  if (!(value > field.min)) return 0
  const share = isLogarithmic(field)
    ? Math.log(value / least(field)) / Math.log(field.max / least(field))
    : (value - field.min) / (field.max - field.min)
  return Math.round(steps * Math.min(1, Math.max(0, share)))
}

/** What is not a number is marked by the browser, and left as the preset has it. */
function follow(): void {
  let inputs = preset as Parameters<PlanField['write']>[0]
  const address = new URLSearchParams({ preset: form.dataset.preset! })
  for (const field of planFields) {
    const { value } = inputOf(field)
    if (value === '' || fieldProblem(field, Number(value)) !== undefined) continue
    inputs = field.write(inputs, Number(value))
    address.set(field.name, value)
  }
  results.replaceChildren(document.createRange().createContextualFragment(planResults(inputs).in(locale)))
  history.replaceState(null, '', `/plan?${address}`)
}

function inputOf({ name }: PlanField): HTMLInputElement {
  return form.elements.namedItem(name) as HTMLInputElement
}
