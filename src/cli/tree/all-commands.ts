// The commands that work on an archive, in the order in which --help lists them.

import type { Command } from 'commander'
import type { Perform } from '../program.ts'
import { addReadingCommands, addTransferCommands } from './archive-commands.ts'
import {
  addChangesCommand,
  addCrawlCommands,
  addExplainCommand,
  addSchedulesCommand,
  addVisitsCommand,
} from './crawl-commands.ts'
import { addPeerCommand, addRingCommands } from './peer-commands.ts'
import { addPlanCommand } from './plan-command.ts'
import { addProfileCommands } from './profile-commands.ts'
import { addRuleCommands } from './rule-commands.ts'
import { addStoreCommands } from './store-commands.ts'
import { addWatchCommands, addWebhookCommands } from './watch-commands.ts'

export function addArchiveCommands(program: Command, perform: Perform): void {
  addPlanCommand(program, perform)
  addCrawlCommands(program, perform)
  addSchedulesCommand(program, perform)
  addProfileCommands(program, perform)
  addPeerCommand(program, perform)
  addRingCommands(program, perform)
  addExplainCommand(program, perform)
  addVisitsCommand(program, perform)
  addChangesCommand(program, perform)
  addWatchCommands(program, perform)
  addWebhookCommands(program, perform)
  addRuleCommands(program, perform)
  addReadingCommands(program, perform)
  addTransferCommands(program, perform)
  addStoreCommands(program, perform)
}
