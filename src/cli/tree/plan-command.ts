// `plan`: its options are the fields of a plan.

import { type Command, Option } from 'commander'
import { planFields } from '../../model/capacity/plan-fields.ts'
import { planPresets } from '../../model/capacity/plan-presets.ts'
import type { Perform } from '../program.ts'

export function addPlanCommand(program: Command, perform: Perform): void {
  const command = program
    .command('plan')
    .description(
      'how many peers an archive needs, and what it asks of each: disk, traffic, time to repair, chance of loss',
    )
    .addOption(
      new Option('--preset <name>', 'what to begin with').choices(Object.keys(planPresets)).default('today'),
    )
  for (const { name, label, unit } of planFields) command.option(`--${name} <number>`, `${label} (${unit})`)
  command.action(perform(async () => (await import('../commands/plan.ts')).showPlan))
}
