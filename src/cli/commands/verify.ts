// `polyhistor verify URL|FILE`: who captured a page, and whether every byte of it is what they signed. Files need no home: a proof file,
// or every capture of a WARC or WACZ file.

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { urlFromTyped } from '../../model/url/url.ts'
import { peerOfPublicKey } from '../../network/membership/peer-key.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import type { CorroborationVerdict, Seen } from '../../proof/corroboration.ts'
import { checkProof, factsIn } from '../../proof/proof-check.ts'
import { type ProofJson, readProof } from '../../proof/proof-file.ts'
import type { ProofStep } from '../../proof/proof-step.ts'
import { Spool } from '../../store/spool.ts'
import { verifyArchive } from '../../verification/archive-verification.ts'
import type { RecordProof } from '../../verification/record-proof.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { openInputFile } from '../input/input-file.ts'
import { askForProof } from './prove.ts'

interface Options {
  at?: string
  allowUnsigned?: boolean
}

interface Verdict {
  readonly url: string
  readonly capturedAt: string
  /** null when nobody signed it. */
  readonly by: string | null
  readonly as: 'captured' | 'imported' | null
  readonly holds: boolean
  readonly steps: readonly ProofStep[]
  /** Other peers that fetched it again soon. */
  readonly seen: readonly Look[]
}

interface Look {
  readonly by: string
  readonly at: string
  readonly verdict: CorroborationVerdict
}

/** That are told one by one. */
const failuresShown = 50

export async function verify(context: Context, words: string[], options: Options): Promise<ExitCode> {
  const named = words[0]!
  if (looksLikeFile(named) || (await isFile(named))) return verifyFile(context, named, options)
  const proof = await askForProof(context, urlFromTyped(named), options)
  if ('lack' in proof) {
    context.terminal.tell(proof.lack)
    return exitCodes.no
  }
  return showOne(context, verdictOf(proof), proof.log !== null)
}

/** One that is missing is to be told as that. */
function looksLikeFile(named: string): boolean {
  return !/^https?:/i.test(named) && /^[./~]|\.(?:warc|arc|gz|zst|wacz|json)$/i.test(named)
}

async function isFile(named: string): Promise<boolean> {
  if (/^https?:\/\//i.test(named)) return false
  return (await stat(named).catch(() => undefined))?.isFile() ?? false
}

async function verifyFile(context: Context, name: string, options: Options): Promise<ExitCode> {
  const file = await openInputFile(name)
  try {
    const start = Buffer.from(await file.read(0, 64)).toString('latin1')
    if (/^\s*\{/.test(start)) {
      const text = Buffer.from(await file.read(0, await file.sizeBytes())).toString()
      const proof = readProof(text)
      return await showOne(context, verdictOf(proof), proof.log !== null)
    }
    const folder = await mkdtemp(join(tmpdir(), 'polyhistor-verify-'))
    try {
      const spool = new Spool({ disk: new RealDisk() }, folder)
      return await showAll(context, verifyArchive({ spool }, file), options)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  } finally {
    await file.close()
  }
}

function verdictOf(proof: ProofJson): Verdict {
  const { steps, seen } = checkProof(proof)
  const facts = factsIn(proof.statement)
  return {
    url: facts?.url ?? '',
    capturedAt: facts === undefined ? '' : new Date(facts.capturedAtMs).toISOString(),
    by: peerOfPublicKey(Buffer.from(proof.signature.key, 'hex')) ?? proof.signature.key,
    as: facts?.isImported ? 'imported' : 'captured',
    holds: steps.every(({ holds }) => holds),
    steps,
    seen: seen.map(lookOf),
  }
}

function lookOf({ key, atMs, verdict }: Seen): Look {
  const by = peerOfPublicKey(key) ?? Buffer.from(key).toString('hex')
  return { by, at: new Date(atMs).toISOString(), verdict }
}

/** For people. */
function howSeen(verdict: CorroborationVerdict): string {
  return verdict === 'other' ? 'seen as something else' : 'seen alike'
}

async function showOne(context: Context, verdict: Verdict, hasLog: boolean): Promise<ExitCode> {
  const { terminal, isJson } = context
  const code = verdict.holds ? exitCodes.ok : exitCodes.no
  if (isJson) {
    await terminal.printJson({ ...verdict, hasLog })
    return code
  }
  await terminal.printLine(`${verdict.url}, ${verdict.as} ${verdict.capturedAt} by ${verdict.by}`)
  for (const { what, holds, note } of verdict.steps)
    await terminal.printLine(
      `  ${holds ? 'ok    ' : 'FAILED'}  ${what}${note === undefined ? '' : ` (${note})`}`,
    )
  if (!hasLog)
    await terminal.printLine(
      '  -       The log of who signed it was not asked: when it was entered is not known',
    )
  for (const { by, at, verdict: what } of verdict.seen)
    await terminal.printLine(`  ${howSeen(what)} by ${by} at ${at}`)
  const first = verdict.steps.find(({ holds }) => !holds)
  await terminal.printLine(
    first === undefined ? 'Every link holds.' : `It does not hold. The first that is not so: ${first.what}.`,
  )
  return code
}

async function showAll(
  { terminal, isJson }: Context,
  found: ReturnType<typeof verifyArchive>,
  { allowUnsigned = false }: Options,
): Promise<ExitCode> {
  const counts = { captures: 0, verified: 0, unsigned: 0, wrong: 0, problems: 0 }
  const by = new Map<string, number>()
  const seen = new Map<string, { alike: number; other: number }>()
  const failures: (Omit<Verdict, 'holds'> | { problem: string })[] = []
  const fail = (failure: (typeof failures)[number]): void => {
    if (failures.length < failuresShown) failures.push(failure)
  }
  for await (const one of found) {
    if (one.kind === 'problem') {
      counts.problems++
      fail({ problem: one.what })
      continue
    }
    counts.captures++
    const verdict = verdictOfRecord(one.proof)
    const isUnsigned = verdict.by === null && one.proof.steps.filter(({ holds }) => !holds).length === 1
    if (verdict.holds) counts.verified++
    else if (isUnsigned) counts.unsigned++
    else counts.wrong++
    if (verdict.by !== null && verdict.holds) by.set(verdict.by, (by.get(verdict.by) ?? 0) + 1)
    if (!verdict.holds && !isUnsigned) fail(verdict)
    if (verdict.holds)
      for (const look of verdict.seen) {
        const counted = seen.get(look.by) ?? { alike: 0, other: 0 }
        counted[look.verdict === 'other' ? 'other' : 'alike']++
        seen.set(look.by, counted)
      }
  }
  const isWhole = counts.wrong === 0 && counts.problems === 0 && (allowUnsigned || counts.unsigned === 0)
  const holds = isWhole && counts.captures > 0
  const peers = { by: Object.fromEntries(by), seen: Object.fromEntries(seen) }
  if (isJson) await terminal.printJson({ holds, ...counts, ...peers, failures })
  else {
    const { captures, verified, unsigned, wrong, problems } = counts
    await terminal.printLine(
      `${captures} captures: ${verified} verified, ${unsigned} not signed, ${wrong} wrong${problems === 0 ? '' : `; ${problems} problems of the file`}`,
    )
    for (const [peer, count] of by) await terminal.printLine(`  ${count} signed by ${peer}`)
    for (const [peer, { alike, other }] of seen) {
      if (alike > 0) await terminal.printLine(`  ${alike} ${howSeen('alike')} by ${peer}`)
      if (other > 0) await terminal.printLine(`  ${other} ${howSeen('other')} by ${peer}`)
    }
    for (const failure of failures) await terminal.printLine(`  FAILED  ${failureLine(failure)}`)
    await terminal.printLine(holds ? 'Every link holds.' : `It does not hold${reason(counts, isWhole)}.`)
  }
  return holds ? exitCodes.ok : exitCodes.no
}

function verdictOfRecord({ url, capturedAtMs, signature, steps, seen }: RecordProof): Verdict {
  return {
    url,
    capturedAt: new Date(capturedAtMs).toISOString(),
    by: signature === undefined ? null : (peerOfPublicKey(signature.key) ?? null),
    as: signature === undefined ? null : signature.isImported ? 'imported' : 'captured',
    holds: steps.every(({ holds }) => holds),
    steps,
    seen: seen.map(lookOf),
  }
}

function failureLine(failure: Omit<Verdict, 'holds'> | { problem: string }): string {
  if ('problem' in failure) return failure.problem
  const first = failure.steps.find(({ holds }) => !holds)
  return `${failure.url} ${failure.capturedAt}: ${first?.what}`
}

function reason({ captures, unsigned }: { captures: number; unsigned: number }, isWhole: boolean): string {
  if (captures === 0) return ': there are no captures in it'
  if (!isWhole && unsigned > 0) return ': some captures are not signed, which --allow-unsigned lets pass'
  return ''
}
