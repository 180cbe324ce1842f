import { Button, Group, Modal, NativeSelect, NumberInput, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { encode } from 'uqr';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import type { DeviceAccess, LinkedDevice } from '../../api/generated/owner.ts';
import { devicesQuery } from '../../api/queries.ts';
import { serverNow } from '../../api/server-time.ts';
import { formatElapsedTime, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Empty, Facts, Failure, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { devices as t } from './device-texts.ts';

const RENEWS = [devicesQuery().queryKey];

/** The door for phones and other computers: the switch, its addresses, and the linked devices. */
export function Devices(): ReactNode {
  const access = useQuery(devicesQuery());
  return (
    <Panel title={t.title} about={t.about}>
      {access.isPending && <Skeletons rows={2} />}
      {access.isError && <Failure error={access.error} retry={() => void access.refetch()} />}
      {access.data && <Access access={access.data} />}
    </Panel>
  );
}

function Access({ access }: { access: DeviceAccess }) {
  const { on, problem, listening, urls, devices } = access;
  const [opened, { open, close }] = useDisclosure();
  const change = useChange(
    (body: { on?: boolean; address?: string | null; port?: number }) => owner.PATCH('/admin/devices', { body }),
    { renews: RENEWS, showsError: true },
  );
  return (
    <Stack gap="md">
      <Switch
        label={t.on}
        description={on ? t.plain : t.off}
        checked={on}
        disabled={change.isPending}
        onChange={(event) => change.mutate({ on: event.currentTarget.checked })}
      />
      {change.isError && <Failure error={change.error} />}
      {problem !== null && (
        <Text size="sm" c="var(--q-bad)" role="alert">
          {problem}
        </Text>
      )}
      {on && listening && problem === null && (
        <>
          <Facts rows={[[t.listens, joinTexts(urls)]]} />
          <Group>
            <Button leftSection={<Icon name="smartphone" />} variant="default" onClick={open}>
              {t.show}
            </Button>
          </Group>
        </>
      )}
      <Place access={access} busy={change.isPending} onSave={(body) => change.mutate(body)} />
      {devices.length > 0 && <LinkedDevices devices={devices} />}
      {on && devices.length === 0 && (
        <Empty icon="smartphone" title={t.none}>
          {t.noneHow}
        </Empty>
      )}
      <LinkDialog access={access} opened={opened} onClose={close} />
    </Stack>
  );
}

interface PlaceProps {
  access: DeviceAccess;
  busy: boolean;
  onSave(place: { address?: string | null; port?: number }): void;
}

/** Where devices connect: an address of this computer, and the port. */
function Place({ access: { address, port, addresses }, busy, onSave }: PlaceProps) {
  const [typed, setTyped] = useState<number | string>(port);
  useEffect(() => setTyped(port), [port]);
  const known = [...new Set([...addresses, ...(address === null ? [] : [address])])];
  const isChanged = typed !== port && typed !== '';
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label={t.address}
        disabled={busy}
        value={address ?? ''}
        data={[{ value: '', label: t.allAddresses }, ...known]}
        onChange={(event) => onSave({ address: event.currentTarget.value || null })}
      />
      <NumberInput
        label={t.port}
        w={110}
        hideControls
        min={1}
        max={65_535}
        thousandSeparator=""
        disabled={busy}
        value={typed}
        onChange={setTyped}
      />
      {isChanged && (
        <Button variant="default" loading={busy} onClick={() => onSave({ port: Number(typed) })}>
          {t.move}
        </Button>
      )}
    </Group>
  );
}

function LinkedDevices({ devices }: { devices: readonly LinkedDevice[] }) {
  return (
    <div>
      <Text fw={550} mb="xs">
        {t.linkedDevices}
      </Text>
      <Stack gap="md" component="ul" className="plain-list" aria-label={t.linkedDevices}>
        {devices.map((device) => (
          <DeviceRow key={device.deviceId} device={device} />
        ))}
      </Stack>
    </div>
  );
}

function DeviceRow({ device: { deviceId, name, lastUsedAt, linkedAt } }: { device: LinkedDevice }) {
  const signOut = useChange(() => owner.DELETE('/admin/devices/{deviceId}', { params: { path: { deviceId } } }), {
    renews: RENEWS,
    onDone: () => showToast({ message: t.signedOut({ name }) }),
  });
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Text fw={550}>{name}</Text>
        <Text size="xs" c="dimmed">
          {t.lastUsed} <Time at={lastUsedAt} />
          {joinTexts(['', t.linkedAt])} <Time at={linkedAt} />
        </Text>
      </div>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t.signOutOf({ name })}
        loading={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        {t.signOut}
      </Button>
    </Group>
  );
}

interface LinkDialogProps {
  access: DeviceAccess;
  opened: boolean;
  onClose(): void;
}

/** Shows a code until a device is linked with it. */
function LinkDialog({ access, opened, onClose }: LinkDialogProps) {
  const { devices } = access;
  const [known, setKnown] = useState<readonly string[]>([]);
  const ids = devices.map(({ deviceId }) => deviceId).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: devices that are linked when the dialog opens are known.
  useEffect(() => setKnown(ids.split(' ')), [opened]);
  const linked = opened ? devices.find(({ deviceId }) => known.length > 0 && !known.includes(deviceId)) : undefined;
  const done = useRef(onClose);
  done.current = onClose;
  const name = linked?.name;
  useEffect(() => {
    if (name === undefined) return;
    showToast({ message: t.linked({ name }) });
    done.current();
  }, [name]);
  return (
    <Modal opened={opened} onClose={onClose} title={t.title} size="lg" closeButtonProps={{ 'aria-label': t.close }}>
      <Code access={access} />
    </Modal>
  );
}

const SECOND_MS = 1000;

/** The code, which is renewed when it expires. */
function Code({ access: { port } }: { access: DeviceAccess }) {
  const made = useQuery({
    ...pageQueryOptions(['link-code'], (signal) => owner.POST('/admin/devices/codes', { signal })),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const [chosen, setChosen] = useState(0);
  const links = made.data?.links ?? [];
  const link = links[chosen] ?? links[0];
  const leftMs = useTimeLeft(made.data?.expiresAt, () => void made.refetch());
  if (made.isError) return <Failure error={made.error} retry={() => void made.refetch()} />;
  if (link === undefined) return <Skeletons rows={6} height={32} />;
  const copyDeviceLink = () =>
    navigator.clipboard.writeText(link).then(() => showToast({ message: t.copied }), toastFailure);
  return (
    <div className="link-device">
      <QrCode text={link} />
      <Stack gap="sm">
        <ol className="link-steps">
          {Object.values(t.steps).map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {links.length > 1 && (
          <NativeSelect
            label={t.address}
            value={String(chosen)}
            data={links.map((one, index) => ({ value: String(index), label: new URL(one).host }))}
            onChange={(event) => setChosen(Number(event.currentTarget.value))}
          />
        )}
        <Text size="sm" c="dimmed">
          {t.left({ time: formatElapsedTime(leftMs) })}
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={() => void copyDeviceLink()}>
            {t.copyLink}
          </Button>
          <Button size="compact-sm" variant="subtle" loading={made.isFetching} onClick={() => void made.refetch()}>
            {t.newCode}
          </Button>
        </Group>
        <Text size="sm">{t.plain}</Text>
        <Text size="sm" c="dimmed">
          {t.firewall({ port })}
        </Text>
      </Stack>
    </div>
  );
}

/** Time until a moment, in whole seconds; calls `onEnd` when it has passed. */
function useTimeLeft(until: string | undefined, onEnd: () => void): number {
  const [now, setNow] = useState(serverNow);
  const end = useRef(onEnd);
  end.current = onEnd;
  const leftMs = until === undefined ? 0 : Math.max(0, Date.parse(until) - now);
  const isOver = until !== undefined && leftMs === 0;
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    if (isOver) end.current();
  }, [isOver]);
  return Math.ceil(leftMs / SECOND_MS) * SECOND_MS;
}

/** Black on white in both colour schemes: some cameras read no inverted codes. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t.code} shapeRendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={modules.join('')} />
    </svg>
  );
}
