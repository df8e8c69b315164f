// `polyhistor plan`: how many peers an archive needs, and what it asks of each.

import { type PlanInputs, planArchive } from '../../model/capacity/archive-plan.ts'
import { fieldProblem, planFields } from '../../model/capacity/plan-fields.ts'
import { planFiguresOf } from '../../model/capacity/plan-figures.ts'
import { type PlanPreset, planPresets } from '../../model/capacity/plan-presets.ts'
import { locales } from '../../ui/language/locale.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { formatTable } from '../output/table.ts'
import { UsageError } from '../usage-error.ts'

type Options = { preset: PlanPreset } & Record<string, string | undefined>

export async function showPlan(
  { terminal, isJson }: Context,
  _words: string[],
  options: Options,
): Promise<ExitCode> {
  const inputs = inputsOf(options)
  const plan = planArchive(inputs)
  if (isJson) {
    await terminal.printJson({ preset: options.preset, ...plan, inputs })
    return exitCodes.ok
  }
  const given = planFields.map(({ label, unit, read }) => {
    const value = read(inputs)
    return [label, value === undefined ? 'as soon as lines allow' : `${printNumber(value)} ${unit}`]
  })
  await terminal.printLine(formatTable(['given', ''], given, terminal.width))
  await terminal.printLine('')
  const figures = planFiguresOf(plan, { count: locales.en.count, bytes: locales.en.bytes })
  await terminal.printLine(
    formatTable(
      ['follows', ''],
      figures.map(({ label, value }) => [label, value]),
      terminal.width,
    ),
  )
  if (plan.shortage !== undefined) terminal.tell(plan.shortage)
  return plan.shortage === undefined ? exitCodes.ok : exitCodes.no
}

function inputsOf(options: Options): PlanInputs {
  let inputs: PlanInputs = planPresets[options.preset]
  for (const field of planFields) {
    const text = options[optionNameOf(field.name)]
    if (text === undefined) continue
    const problem = fieldProblem(field, text.trim() === '' ? Number.NaN : Number(text))
    if (problem !== undefined)
      throw new UsageError(`--${field.name} is ${JSON.stringify(text)}, but ${problem}.`)
    inputs = field.write(inputs, Number(text))
  }
  return inputs
}

/** As commander names it: pageSize. */
function optionNameOf(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

function printNumber(value: number): string {
  return value >= 1_000 ? locales.en.count(value) : String(Number(value.toPrecision(6)))
}
