import { Button, Group, Modal, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { fieldErrors, owner } from '../../api/client.ts';
import type { FleetChange, FleetNode, FleetView } from '../../api/generated/owner.ts';
import { fleetQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { askFirst } from '../../components/confirm.tsx';
import { number } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty, Failure, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { toast } from '../../components/toast.tsx';
import { texts } from '../../texts.ts';
import { nodes as t } from './node-texts.ts';

const RENEWS = [fleetQuery().queryKey];

/** Other machines that run jobs of this one: the switch, the addresses, and each node. */
export function Nodes(): ReactNode {
  const fleet = useQuery(fleetQuery());
  return (
    <Panel title={t.title} about={t.about} aside={fleet.data?.choices.enabled && <AddNode />}>
      {fleet.isPending && <Skeletons rows={2} />}
      {fleet.isError && <Failure error={fleet.error} retry={() => void fleet.refetch()} />}
      {fleet.data && <Fleet fleet={fleet.data} />}
    </Panel>
  );
}

function Fleet({ fleet }: { fleet: FleetView }) {
  const { choices, state, error, brokerConfig, nodes } = fleet;
  const change = useChange((body: FleetChange) => owner.PATCH('/admin/fleet', { body }), {
    renews: RENEWS,
    showsError: true,
    onDone: () => toast({ message: t.saved }),
  });
  return (
    <Stack gap="md">
      <Switch
        label={t.on}
        description={choices.enabled ? undefined : t.off}
        checked={choices.enabled}
        disabled={change.isPending}
        onChange={(event) => change.mutate({ enabled: event.currentTarget.checked })}
      />
      <Addresses choices={choices} refused={fieldErrors(change.error)} onSave={(body) => change.mutate(body)} />
      {change.isError && <Failure error={change.error} />}
      {state === 'starting' && (
        <Text size="sm" role="status">
          {t.starting}
        </Text>
      )}
      {error !== null && (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
      {brokerConfig !== null && <Code value={brokerConfig} label={t.brokerConfig} />}
      {choices.enabled && nodes.length === 0 && (
        <Empty icon="cpu" title={t.none}>
          {t.noneHow}
        </Empty>
      )}
      {nodes.length > 0 && (
        <Stack gap="md" component="ul" className="plain-list">
          {nodes.map((node) => (
            <NodeRow key={node.nodeId} node={node} />
          ))}
        </Stack>
      )}
    </Stack>
  );
}

/** Hints below, so that inputs beside each other are level. */
const BELOW: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error'];

interface AddressesProps {
  choices: FleetView['choices'];
  refused: Record<string, string>;
  onSave: (change: FleetChange) => void;
}

function Addresses({ choices, refused, onSave }: AddressesProps) {
  const [host, setHost] = useState(choices.host);
  const [port, setPort] = useState<number | string>(choices.port);
  const [brokerPort, setBrokerPort] = useState<number | string>(choices.brokerPort);
  const [brokerUrl, setBrokerUrl] = useState(choices.brokerUrl ?? '');
  const [localSlots, setLocalSlots] = useState<number | string>(choices.localSlots ?? '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const own = brokerUrl.trim();
        onSave({
          host: host.trim(),
          port: Number(port),
          brokerPort: Number(brokerPort),
          brokerUrl: own === '' ? null : own,
          localSlots: localSlots === '' ? null : Number(localSlots),
        });
      }}
    >
      <Stack gap="sm">
        <Group grow align="flex-start">
          <TextInput
            label={t.host}
            description={t.hostHint}
            inputWrapperOrder={BELOW}
            value={host}
            error={refused.host}
            onChange={(event) => setHost(event.currentTarget.value)}
          />
          <TextInput
            label={t.brokerUrl}
            description={t.brokerUrlHint}
            inputWrapperOrder={BELOW}
            value={brokerUrl}
            error={refused.brokerUrl}
            onChange={(event) => setBrokerUrl(event.currentTarget.value)}
          />
        </Group>
        <Group grow align="flex-start">
          <NumberInput label={t.port} value={port} error={refused.port} onChange={setPort} allowDecimal={false} />
          <NumberInput
            label={t.brokerPort}
            value={brokerPort}
            error={refused.brokerPort}
            onChange={setBrokerPort}
            allowDecimal={false}
          />
        </Group>
        <NumberInput
          label={t.localSlots}
          description={t.localSlotsHint}
          inputWrapperOrder={BELOW}
          placeholder={t.automatic}
          value={localSlots}
          error={refused.localSlots}
          onChange={setLocalSlots}
          min={0}
          allowDecimal={false}
        />
        <Group justify="flex-end">
          <Button type="submit" size="xs" variant="default">
            {t.save}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const TONES = { waiting: 'idle', online: 'good', offline: 'bad', refused: 'bad', contested: 'bad' } as const;

function NodeRow({ node }: { node: FleetNode }) {
  const { nodeId, name, status, version, cores, busy, slots, models, draining, lastSeenAt } = node;
  const path = { params: { path: { nodeId } } };
  const drain = useChange(
    () => owner.PATCH('/admin/fleet/nodes/{nodeId}', { ...path, body: { draining: !draining } }),
    { renews: RENEWS },
  );
  const remove = useChange(() => owner.DELETE('/admin/fleet/nodes/{nodeId}', path), {
    renews: RENEWS,
    onDone: () => toast({ message: t.removed(name) }),
  });
  const ask = () =>
    askFirst({
      title: t.removeTitle(name),
      about: t.removeAbout,
      yes: t.remove,
      no: texts.common.cancel,
      onYes: () => remove.mutate(),
    });
  const drainLabel = draining ? t.undrain : t.drain;
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Group gap="xs">
          <Text fw={550} className="break">
            {name}
          </Text>
          <State tone={TONES[status]}>{t.status[status]}</State>
          {draining && <State tone="warn">{t.draining}</State>}
        </Group>
        {version !== null && cores !== null && (
          <Text size="sm">{t.facts(version, number(cores), number(busy), number(slots))}</Text>
        )}
        <Text size="xs" c="dimmed" className="break">
          {version !== null && (models.length === 0 ? t.noModels : t.models(models.join(', ')))}
          {status === 'offline' && lastSeenAt !== null && (
            <>
              {t.lastSeen} <Time at={lastSeenAt} />
            </>
          )}
        </Text>
      </div>
      <Group gap="xs" wrap="nowrap" flex="none">
        {status !== 'waiting' && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t.of(drainLabel, name)}
            loading={drain.isPending}
            onClick={() => drain.mutate()}
          >
            {drainLabel}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.of(t.remove, name)}
          loading={remove.isPending}
          onClick={ask}
        >
          {t.remove}
        </Button>
      </Group>
    </Group>
  );
}

/** The button Add a node and its dialog, which ends with the command for the other machine. */
function AddNode(): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  const [join, setJoin] = useState<string | null>(null);
  const start = () => {
    setJoin(null);
    open();
  };
  return (
    <>
      <Button size="xs" mt={6} variant="default" leftSection={<Icon name="plus" size={14} />} onClick={start}>
        {t.add}
      </Button>
      {/* The command is not shown again, so only a button closes it. */}
      <Modal
        opened={opened}
        onClose={close}
        title={t.add}
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={join === null}
      >
        {join === null ? (
          <NodeForm onMade={setJoin} onClose={close} />
        ) : (
          <Stack>
            <Text size="sm" role="status">
              {t.shownOnce}
            </Text>
            <Code value={t.command(join)} label={t.commandName} />
            <Group justify="flex-end">
              <Button autoFocus onClick={close}>
                {t.close}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  );
}

function NodeForm({ onMade, onClose }: { onMade: (join: string) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const make = useChange(() => owner.POST('/admin/fleet/nodes', { body: { name } }), {
    renews: RENEWS,
    showsError: true,
    onDone: (made) => made !== undefined && onMade(made.join),
  });
  const refused = fieldErrors(make.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <Stack>
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          value={name}
          error={refused.name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        {make.isError && refused.name === undefined && <Failure error={make.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button type="submit" loading={make.isPending}>
            {t.make}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
