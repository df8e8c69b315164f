// Hello: the first message on a connection: network, protocol versions, membership, addresses.
//
// Later versions may add fields: unknown ones are ignored.

import {
  bytesToText,
  type Fields,
  fieldsOf,
  numberIn,
  signatureIn,
  textIn,
  textsIn,
  Unfit,
} from './fields.ts'
import { addressesMax, addressLengthMax } from './invitation.ts'
import {
  type Membership,
  readMembership,
  readWitness,
  type Witness,
  writeMembership,
  writeWitness,
} from './membership.ts'
import type { ProtocolVersions } from './protocol-versions.ts'

export interface Hello {
  readonly networkId: string
  readonly versions: ProtocolVersions
  readonly program: string
  readonly addresses: readonly string[]
  readonly membership: Membership | undefined
  /** The other's word for us: see membership.ts. */
  readonly witness: Witness | undefined
  /** The network's key's word for an old membership of ours. */
  readonly confirmation: Uint8Array | undefined
}

const programLengthMax = 100

export function writeHello(hello: Hello): Uint8Array {
  const { networkId, versions, program, addresses, membership, witness, confirmation } = hello
  const fields: Fields = {
    network: networkId,
    versionMin: versions[0],
    versionMax: versions[1],
    program,
    addresses: addresses.slice(0, addressesMax),
    ...(membership && { membership: writeMembership(membership) }),
    ...(witness && { witness: writeWitness(witness) }),
    ...(confirmation && { confirmation: bytesToText(confirmation) }),
  }
  return Buffer.from(JSON.stringify(fields))
}

/** Throws Unfit for whatever is no hello. */
export function readHello(bytes: Uint8Array): Hello {
  const fields = fieldsOf(parse(bytes))
  return {
    networkId: textIn(fields, 'network', 64),
    versions: [numberIn(fields, 'versionMin'), numberIn(fields, 'versionMax')],
    program: textIn(fields, 'program', programLengthMax),
    addresses: textsIn(fields, 'addresses', addressesMax, addressLengthMax),
    membership: fields.membership === undefined ? undefined : readMembership(fieldsOf(fields.membership)),
    witness: fields.witness === undefined ? undefined : readWitness(fieldsOf(fields.witness)),
    confirmation: fields.confirmation === undefined ? undefined : signatureIn(fields, 'confirmation'),
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Unfit('not JSON')
  }
}
