import { ActionIcon, Button, CopyButton as CopyValue } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { texts } from '../texts.ts';
import { formatWholeNumber } from './format.ts';
import { Icon } from './icon.tsx';
import { showToast, toastFailure } from './toast.tsx';

/** A small button that copies a value beside it. */
export function Copy({ value, label }: { value: string; label: string }) {
  return (
    <CopyValue value={value} timeout={1500}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={copied ? texts.common.copied : texts.common.copy({ what: label })}
          onClick={(event) => {
            event.stopPropagation();
            event.preventDefault();
            copy();
          }}
        >
          <Icon name={copied ? 'check' : 'copy'} size={14} />
        </ActionIcon>
      )}
    </CopyValue>
  );
}

interface CopyButtonProps {
  /** The text, or how to read it when it is long. */
  text: string | (() => Promise<string>);
  label?: string;
  /** The one filled button of a page. */
  main?: boolean;
}

/** A button that copies a whole text, and reports how many words it copied. */
export function CopyButton({ text, label = texts.common.copyAll, main = false }: CopyButtonProps) {
  const copy = useMutation({
    mutationFn: async () => {
      const copied = typeof text === 'string' ? text : await text();
      await navigator.clipboard.writeText(copied);
      return copied.split(/\s+/).filter((word) => word !== '').length;
    },
    onSuccess: (words) =>
      showToast({
        icon: 'copy',
        message: texts.common.wordsCopied({ count: formatWholeNumber(words), one: words === 1 }),
      }),
    onError: toastFailure,
  });
  return (
    <Button
      variant={main ? 'filled' : 'default'}
      leftSection={<Icon name="copy" />}
      loading={copy.isPending}
      onClick={() => copy.mutate()}
    >
      {label}
    </Button>
  );
}
