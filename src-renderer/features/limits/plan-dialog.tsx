import { Alert, Button, Group, Modal, NumberInput, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { adminPath, errorsByField, requestJson, useEnvironment } from '../../api/client.ts';
import type { LimitsView, Plan, WhatIf } from '../../api/generated/owner.ts';
import { Failure } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { accountName, type PlannedAccount, usePlanChange } from './change-plan.ts';
import { limits as limitsTexts } from './texts.ts';

interface PlanDialogProps {
  account: PlannedAccount;
  bounds: LimitsView['bounds'];
  onClose: () => void;
}

/** Limits of its own for one account, with a preview of their effect on the last minute. */
export function PlanDialog({ account, bounds, onClose }: PlanDialogProps): ReactNode {
  const environment = useEnvironment();
  const [perMinute, setPerMinute] = useState<number | string>(account.allowance.requestsPerMinute || 1);
  const [concurrency, setConcurrency] = useState<number | string>(account.allowance.concurrency || 1);
  const t = limitsTexts;
  const plan: Plan = {
    plan: 'enterprise',
    requestsPerMinute: Number(perMinute),
    concurrency: Number(concurrency),
  };
  const path = `/accounts/${encodeURIComponent(account.accountId)}/what-if`;
  const whatIf = useQuery({
    queryKey: ['what-if', environment, account.accountId, plan],
    queryFn: () => requestJson<WhatIf>(adminPath(environment, path, { ...plan })),
  });
  const save = usePlanChange(account, true);
  // The preview already reports invalid numbers.
  const refused = errorsByField(whatIf.error ?? save.error);
  return (
    <Modal opened onClose={onClose} title={t.changeTitle({ account: accountName(account.accountId) })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ to: plan, before: account.plan }, { onSuccess: onClose });
        }}
      >
        <Stack>
          <OwnNumbers {...{ bounds, refused, perMinute, setPerMinute, concurrency, setConcurrency }} />
          <Alert variant="default" title={t.whatIf} className="alert">
            {whatIfText(whatIf)}
          </Alert>
          {save.isError && Object.keys(refused).length === 0 && <Failure error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" loading={save.isPending}>
              {texts.common.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function whatIfText({ data, error }: { data: WhatIf | undefined; error: Error | null }): string {
  if (data !== undefined)
    return limitsTexts.whatIfSaid({ requests: data.requests, refused: data.refused, over: data.slotsOver });
  return error?.message ?? texts.common.loading;
}

interface OwnNumbersProps {
  bounds: LimitsView['bounds'];
  refused: Record<string, string>;
  perMinute: number | string;
  setPerMinute: (value: number | string) => void;
  concurrency: number | string;
  setConcurrency: (value: number | string) => void;
}

function OwnNumbers(props: OwnNumbersProps) {
  const { bounds, refused, perMinute, setPerMinute, concurrency, setConcurrency } = props;
  // A number outside the bounds is refused in words, and never changed in silence.
  const whole = { min: 1, allowDecimal: false, clampBehavior: 'none' } as const;
  const t = limitsTexts;
  return (
    <Group grow align="flex-start">
      <NumberInput
        {...whole}
        label={t.perMinute}
        max={bounds.requestsPerMinute}
        value={perMinute}
        error={refused.requestsPerMinute}
        onChange={setPerMinute}
      />
      <NumberInput
        {...whole}
        label={t.concurrency}
        max={bounds.concurrency}
        value={concurrency}
        error={refused.concurrency}
        onChange={setConcurrency}
      />
    </Group>
  );
}
