// `polyhistor prove URL -o FILE`: a file with which anybody can see for themselves who captured a page, and when.

import { writeFile } from 'node:fs/promises'
import { withProofs } from '../../app/proof/proofs-to-ask.ts'
import { PolyhistorError } from '../../errors.ts'
import { anyTime } from '../../model/capture-choice.ts'
import { digitsOfSpan } from '../../model/timestamp.ts'
import { type Url, urlFromTyped } from '../../model/url/url.ts'
import type { ProofJson } from '../../proof/proof-file.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { InputFileError } from '../input/input-file-error.ts'
import { timeSpan } from '../input/option-values.ts'
import { PeerError } from '../peer/peer-client.ts'
import { withArchiveToRead } from '../peer/running-peer.ts'
import { UsageError } from '../usage-error.ts'

interface Options {
  at?: string
  output?: string
  force?: boolean
}

export async function proveCapture(context: Context, words: string[], options: Options): Promise<ExitCode> {
  const { terminal } = context
  const url = urlFromTyped(words[0]!)
  const proof = await askForProof(context, url, options)
  if ('lack' in proof) {
    terminal.tell(proof.lack)
    return exitCodes.no
  }
  const text = `${JSON.stringify(proof, null, 2)}\n`
  if (options.output === undefined || options.output === '-') await terminal.print(Buffer.from(text))
  else {
    await writeNew(options.output, text, options.force === true)
    terminal.tell(`Anybody can check it with: polyhistor verify ${options.output}`)
  }
  if (proof.log === null)
    terminal.tell('The peer that signed it could not be asked for its log: the proof is its signature alone.')
  return exitCodes.ok
}

/** `lack`: why there is none. */
export function askForProof(
  context: Context,
  url: Url,
  { at }: Pick<Options, 'at'>,
): Promise<ProofJson | { lack: string }> {
  const span = at === undefined ? undefined : timeSpan('--at', at)
  return told(
    withArchiveToRead(context, {
      store: (store) =>
        withProofs({ log: context.log, store, home: context.home.folder }, async (proofs) => {
          const found = await proofs.find({ url, span: span ?? anyTime, policy: 'nearest' })
          if (found === undefined) return { lack: missing(url) }
          return proofs.prove(found)
        }),
      peer: (peer) => peer.get<ProofJson>('/api/v1/proof', { url: url.href, at: span && digitsOfSpan(span) }),
    }),
    url,
  )
}

async function told(
  asked: Promise<ProofJson | { lack: string }>,
  url: Url,
): Promise<ProofJson | { lack: string }> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof PolyhistorError && error.code === 'proof-none') return { lack: error.message }
    if (error instanceof PeerError && error.code === 'not-archived') return { lack: missing(url) }
    throw error
  }
}

function missing(url: Url): string {
  return `${url.href} is not in this archive. See: polyhistor versions ${url.href}`
}

async function writeNew(file: string, text: string, isForced: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: isForced ? 'w' : 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UsageError(`${file} exists already. Replace it with --force.`)
    throw new InputFileError(file, error as Error)
  }
}
