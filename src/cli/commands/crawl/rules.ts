// `polyhistor rules`: rules for what is crawled and how, listed, set, removed, exported and imported.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  printRulesFile,
  type RulesChange,
  readRuleChange,
  readRulesFile,
  readTarget,
  ruleChanges,
  ruleListJson,
  withHomeRules,
  writeFields,
  writeTarget,
  writtenName,
} from '../../../app/crawl/home-rules.ts'
import { type RuleTarget, targetWords } from '../../../model/jobs/site-rule.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { readInputText } from '../../input/input-text.ts'
import { formatTable } from '../../output/table.ts'
import type { PeerClient } from '../../peer/peer-client.ts'
import { refuseAlone } from '../../peer/refuse-alone.ts'
import { withArchive, withArchiveToRead } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

type Written = Record<string, string | number | boolean | null>

interface ShownRule extends Record<string, unknown> {
  readonly setAt: string | null
  readonly setBy: string | null
  readonly inForce: boolean
}

const path = '/api/v1/rules'
const targetNames = ['site', 'host', 'pattern', 'url', 'all'] as const
const fileBytesMax = 16 * 1024 * 1024

export async function listRules(context: Context): Promise<ExitCode> {
  const rules = await shownRules(context)
  if (context.isJson) await context.terminal.printJson({ rules })
  else await show(context, rules)
  return exitCodes.ok
}

export async function setRule(
  context: Context,
  _words: string[],
  { allow, deny, ...options }: Written & { allow?: boolean; deny?: boolean },
): Promise<ExitCode> {
  const access = allow ? 'allow' : deny ? 'deny' : options.access
  const written = Object.fromEntries(
    Object.entries({ ...options, access }).filter(([, value]) => value !== undefined),
  ) as Written
  const { target, set, unset } = readRuleChange(written)
  if (Object.keys(set).length + unset.length === 0)
    throw new UsageError(`Say what the rule is to say: polyhistor rules set --help lists what it can.`)
  await change(context, target, written)
  const after = (await shownRules(context)).find((rule) => isOf(rule, target))
  if (context.isJson) await context.terminal.printJson({ rule: after ?? null })
  else if (after === undefined)
    await context.terminal.printLine(`There is no rule for ${targetWords(target)} any more.`)
  else await show(context, [after])
  return exitCodes.ok
}

export async function removeRule(context: Context, _words: string[], written: Written): Promise<ExitCode> {
  const target = readTarget(written)
  const isThere = (await shownRules(context)).some((rule) => isOf(rule, target))
  if (isThere) await remove(context, target)
  if (context.isJson) await context.terminal.printJson({ removed: isThere })
  else if (isThere) context.terminal.tell(`Removed the rule for ${targetWords(target)}.`)
  else context.terminal.tell(`There is no rule for ${targetWords(target)}.`)
  return isThere ? exitCodes.ok : exitCodes.notFound
}

export async function exportRules(context: Context, [file]: string[]): Promise<ExitCode> {
  const rules = (await shownRules(context)).map(statementOf)
  const text = printRulesFile(rules)
  if (file === undefined || file === '-') await context.terminal.print(text)
  else {
    await writeFile(file, text)
    context.terminal.tell(`${file}: ${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}.`)
  }
  return exitCodes.ok
}

export async function importRules(
  context: Context,
  [file]: string[],
  { replace = false, dryRun = false }: { replace?: boolean; dryRun?: boolean },
): Promise<ExitCode> {
  const then = readRulesFile(await readInputText(file!, fileBytesMax))
  const now = (await shownRules(context)).map(statementOf)
  const changes = ruleChanges(now, then, { isWhole: replace })
  if (!dryRun) for (const wanted of changes) await carryOut(context, wanted)
  const done = changes.map(({ kind, rule: { target, ...fields } }) => ({
    change: kind,
    rule: { ...writeTarget(target), ...writeFields(fields) },
  }))
  if (context.isJson) await context.terminal.printJson({ dryRun, changes: done })
  else await tellChanges(context, changes, dryRun)
  return exitCodes.ok
}

async function tellChanges(
  { terminal }: Context,
  changes: readonly RulesChange[],
  isDry: boolean,
): Promise<void> {
  const words = {
    add: isDry ? 'would add' : 'added',
    change: isDry ? 'would change' : 'changed',
    remove: isDry ? 'would remove' : 'removed',
  }
  for (const { kind, rule } of changes) {
    const { target, ...fields } = rule
    const said = kind === 'remove' ? '' : `: ${fieldWords(writeFields(fields))}`
    await terminal.printLine(`${words[kind]} the rule for ${targetWords(target)}${said}`)
  }
  if (changes.length === 0) await terminal.printLine('The rules are as the file has them already.')
}

function carryOut(context: Context, { wanted, rule }: RulesChange): Promise<void> {
  if (wanted === undefined) return remove(context, rule.target)
  const unset = wanted.unset.map((name) => [writtenName(name), null] as const)
  const written = { ...writeTarget(wanted.target), ...Object.fromEntries(unset), ...writeFields(wanted.set) }
  return change(context, wanted.target, written as Written)
}

async function change(context: Context, target: RuleTarget, written: Written): Promise<void> {
  await withArchive<unknown>(context, {
    store: async (store) => {
      if (target.kind !== 'all') await refuseAlone(context, 'the rule')
      await withHomeRules(crawlFolder(context), store, (rules) => rules.change(readRuleChange(written)))
    },
    peer: (peer: PeerClient) => peer.put(path, written),
  })
}

async function remove(context: Context, target: RuleTarget): Promise<void> {
  await withArchive<unknown>(context, {
    store: async (store) => {
      if (target.kind !== 'all') await refuseAlone(context, 'the rule')
      await withHomeRules(crawlFolder(context), store, (rules) => rules.remove(target))
    },
    peer: (peer) =>
      peer.delete(`${path}?${new URLSearchParams(writeTarget(target) as Record<string, string>)}`),
  })
}

function shownRules(context: Context): Promise<ShownRule[]> {
  return withArchiveToRead(context, {
    store: (store) =>
      withHomeRules(
        crawlFolder(context),
        store,
        async (rules) => ruleListJson(rules.list()).rules as unknown as ShownRule[],
      ),
    peer: async (peer) => (await peer.get<{ rules: ShownRule[] }>(path)).rules,
  })
}

function statementOf({
  setAt,
  setBy,
  inForce,
  ...written
}: ShownRule): ReturnType<typeof readRulesFile>[number] {
  const { target, set } = readRuleChange(written)
  return { target, ...set }
}

function isOf({ setAt, setBy, inForce, ...written }: ShownRule, target: RuleTarget): boolean {
  return JSON.stringify(readTarget(written)) === JSON.stringify(target)
}

async function show({ terminal }: Context, rules: readonly ShownRule[]): Promise<void> {
  if (rules.length === 0) return terminal.printLine('There are no rules.')
  const rows = rules.map(({ setAt, setBy, inForce, ...written }) => {
    const name = targetNames.find((known) => written[known] !== undefined)!
    const { [name]: named, ...fields } = written
    const isPassedOver = inForce ? '' : ' (not in force: too many patterns)'
    return [
      name === 'all' ? 'everything' : name,
      name === 'all' ? '' : String(named),
      fieldWords(fields) + isPassedOver,
      setAt === null ? '' : setAt.slice(0, 16).replace('T', ' '),
      setBy === null ? '' : `…${setBy.slice(-8)}`,
    ]
  })
  await terminal.printLine(formatTable(['for', '', 'says', 'set', 'by'], rows, terminal.width))
}

function fieldWords({ access, ...fields }: Readonly<Record<string, unknown>>): string {
  const others = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`)
  return [...(access === undefined ? [] : [String(access)]), ...others].join(', ')
}

function crawlFolder({ home }: Context): string {
  return join(home.folder, 'crawl')
}
