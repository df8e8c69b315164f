// The calculator of plans. Everything given is in the address, so that a plan can be sent to others.

import type { PlanInputs } from '../../model/capacity/archive-plan.ts'
import { fieldProblem, planFields } from '../../model/capacity/plan-fields.ts'
import { type PlanPreset, planPresets } from '../../model/capacity/plan-presets.ts'
import { type PageRoute, pageAnswer, queryOf } from '../http.ts'
import type { Html } from '../markup/html.ts'
import type { Layout } from '../markup/layout.ts'
import { planScreen } from '../screens/plan/plan.ts'
import { fieldMistake } from '../screens/plan/plan-words.ts'
import { planTexts } from '../texts/plan.ts'

export function planRoute({ layout }: { readonly layout: Layout }): PageRoute {
  return {
    host: 'archive',
    path: /^\/plan$/,
    isPage: true,
    methods: ['GET'],
    handle: async (request) => {
      const asked = askedOf(new URLSearchParams(queryOf(request.target)))
      return pageAnswer(request, asked.mistakes.length === 0 ? 200 : 400, layout.page(planScreen(asked)))
    },
  }
}

function askedOf(query: URLSearchParams) {
  const named = query.get('preset') ?? 'today'
  const mistakes: Html[] = []
  const preset: PlanPreset = Object.hasOwn(planPresets, named) ? (named as PlanPreset) : 'today'
  if (preset !== named) mistakes.push(planTexts.noPreset({ preset }))
  let inputs: PlanInputs = planPresets[preset]
  for (const field of planFields) {
    const text = (query.get(field.name) ?? '').trim()
    if (text === '') continue
    const problem = fieldProblem(field, Number(text))
    if (problem === undefined) inputs = field.write(inputs, Number(text))
    else mistakes.push(fieldMistake(field))
  }
  return { preset, inputs, mistakes }
}
